import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../../kernel/errors.js';
import type { Id } from '../../../kernel/ids.js';
import { withRetries } from '../../../kernel/retries.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { FilesService } from '../../files/files.service.js';
import { type ModelRequest, taskPrompt } from '../../gateway/gateway.port.js';
import { type Alongside, Gateway, isUnsupported, type MadeCall, passesAfter } from '../../gateway/gateway.service.js';
import {
  isText,
  type Memory,
  SessionMemory,
  toMemory,
  tokensIn,
} from '../../sessions/memory/session-memory.service.js';
import { modelNameOf } from '../definitions/agent.entity.js';
import type { AgentRunRow } from '../runs/agent-run.entity.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { filesIn, type FilesAsParts, fitToBudget, promptOf, transcriptOf, type UserPart } from './prompt.js';
import { type ModelStep, userStep } from './steps.js';
import { ToolSteps } from './tool-steps.js';
import { originOf, topicOf, type TurnAtWork, TurnFailed } from './turn.js';

const MAX_SUMMARY_TOKENS = 500;

/** The longest pause before a provider is asked again that names no time itself. */
const MAX_PAUSE_SECONDS = 10;

/** Besides text. Of any other file every protocol refuses the content, and with it the request. */
const READ_BY_MODELS = /^(image\/(png|jpeg|webp|gif)|application\/pdf|audio\/(wav|mpeg))$/;

const CONDENSE_TASK =
  'Summarize in a few sentences what was said in this conversation: facts, names, numbers, decisions, open questions. Leave out greetings. Answer with the summary alone.';

/** Calls the agent's model once for each step, and once more to summarize a conversation that exceeds its budget. */
@Injectable()
export class ModelSteps {
  constructor(
    private readonly gateway: Gateway,
    private readonly memory: SessionMemory,
    private readonly runs: AgentRunRepository,
    private readonly tools: ToolSteps,
    private readonly files: FilesService,
    private readonly notifications: Notifications,
  ) {}

  /** Adds the model's answer to the memory in the transaction that records the call, and returns it. */
  async call(turn: TurnAtWork, memory: readonly Memory[], step: number): Promise<Memory | null> {
    let answer: Memory | null = null;
    const kept = await this.withinBudget(turn, memory);
    const tools = await this.tools.offered(turn);
    const ask = async (withFiles: boolean): Promise<void> => {
      const filesOf = await this.filesAsParts(turn.run.projectId, kept, withFiles);
      const request: ModelRequest = {
        prompt: promptOf(turn.version.instructions, kept, filesOf),
        abortSignal: turn.signal,
        ...(tools.length > 0 && { tools }),
      };
      await this.ask(
        turn,
        request,
        this.remembering(turn, step, (remembered) => (answer = remembered)),
      );
    };
    await this.waitingOut(turn, () =>
      ask(true).catch((error: unknown) => {
        // A model that cannot look at files is given only their names.
        if (!isUnsupported(error) || filesIn(kept).length === 0) throw error;
        return ask(false);
      }),
    );
    return answer;
  }

  /**
   * Repeats the call of a provider that is away or overloaded until the time of the turn is over, if no caller waits
   * for the turn. The answer is then late instead of a fallback text.
   */
  private async waitingOut({ run, signal }: TurnAtWork, ask: () => Promise<void>): Promise<void> {
    if (run.sinkName === null) return ask();
    let failure: SlipwayError | undefined;
    const pauseAfter = (error: unknown, number: number) => {
      const seconds = passesAfter(error);
      if (seconds === undefined) return undefined;
      if (error instanceof SlipwayError) failure = error;
      return Math.max(seconds, Math.min(2 ** (number - 1), MAX_PAUSE_SECONDS)) * 1_000;
    };
    await withRetries(ask, pauseAfter, signal).catch((error: unknown) => {
      // The provider's failure says more than that the time of the turn is over, be it in a pause or in a later call.
      if (signal.aborted && failure) throw new TurnFailed({ code: failure.spec.code, message: failure.message });
      throw error;
    });
  }

  /** Replaces the oldest turns by a summary if the conversation does not fit the budget. */
  private async withinBudget(turn: TurnAtWork, memory: readonly Memory[]): Promise<readonly Memory[]> {
    const { old, kept } = fitToBudget(memory, turn.run.number, turn.version);
    if (old.length === 0) return kept;
    const summary = await this.condense(turn, old);
    return summary === null ? kept : [summary, ...kept];
  }

  /** Asks the agent's own model for a summary. Returns null if that fails, and the old turns are left out this time. */
  private async condense(turn: TurnAtWork, old: readonly Memory[]): Promise<Memory | null> {
    const last = old.at(-1);
    if (!last || last.kind === 'summary') return last ?? null;
    const { run, version, signal: abortSignal } = turn;
    const prompt = taskPrompt(CONDENSE_TASK, transcriptOf(old).slice(-version.historyTokens * 3));
    const request = { prompt, maxOutputTokens: MAX_SUMMARY_TOKENS, abortSignal };
    const origin = originOf(turn, 'conversation_history_compaction');
    const alongside: Alongside = async (tx, call) => {
      if (call.answer?.text) await this.memory.condense(tx, run.sessionId, last.turn, call.answer.text);
      return this.count(tx, run, call);
    };
    try {
      const { answer } = await this.gateway.generate(origin, modelNameOf(version), request, alongside);
      return { turn: 0, step: 0, kind: 'summary', content: answer.text, tokens: tokensIn(answer.text) };
    } catch (error) {
      if (error instanceof SlipwayError) return null;
      throw error;
    }
  }

  /** Returns the files as parts of the prompt. Deleted files, and all files without contents, become a line of text. */
  private async filesAsParts(
    projectId: Id<'project'>,
    memory: readonly Memory[],
    withContents: boolean,
  ): Promise<FilesAsParts> {
    const parts = new Map<string, UserPart>();
    for (const fileId of new Set(filesIn(memory))) parts.set(fileId, await this.part(projectId, fileId, withContents));
    return (message) => userStep(message).files.map((fileId) => parts.get(fileId)!);
  }

  private async part(projectId: Id<'project'>, fileId: Id<'file'>, withContents: boolean): Promise<UserPart> {
    const file = await this.files.open(projectId, fileId).catch(() => null);
    if (!file) return { type: 'text', text: '[a file that was deleted]' };
    const { name, mediaType } = file;
    const [type] = mediaType.split(';');
    const isRead = withContents && (isText(type!) || READ_BY_MODELS.test(type!));
    if (!isRead) return { type: 'text', text: `[file ${name}, which this model cannot read]` };
    const bytes = await file.bytes();
    if (isText(type!)) return { type: 'text', text: `File ${name}:\n${bytes.toString('utf8')}` };
    return { type: 'file', mediaType: type!, filename: name, data: { type: 'data', data: bytes.toString('base64') } };
  }

  private async ask(turn: TurnAtWork, request: ModelRequest, alongside: Alongside): Promise<void> {
    const origin = originOf(turn, 'response_generation');
    const modelName = modelNameOf(turn.version);
    if (!turn.run.isStreamed) {
      await this.gateway.generate(origin, modelName, request, alongside);
      return;
    }
    const { parts } = await this.gateway.stream(origin, modelName, request, alongside);
    for await (const part of parts) {
      if (part.type === 'text-delta')
        this.notifications.notify(topicOf(turn.run), { type: 'delta', content: part.delta });
    }
  }

  private remembering({ run }: TurnAtWork, step: number, onAnswer: (answer: Memory) => void): Alongside {
    return async (tx, call) => {
      if (call.status !== 'success' || !call.answer) return this.count(tx, run, call);
      const content: ModelStep = call.answer;
      const entry = toMemory({ turn: run.number, step, kind: 'model', content: JSON.stringify(content) });
      onAnswer(entry);
      return this.count(tx, run, call, this.memory.remember(run.sessionId, entry));
    };
  }

  /**
   * Adds the call to the totals of the run, so that a session's totals equal those of its rows in the ledger. A cancelled
   * turn ends before its call does, and then the session counts the call. Returns false if the session has been erased.
   */
  private async count(
    tx: Transaction,
    { id: runId, sessionId }: AgentRunRow,
    call: MadeCall,
    remembered: Statement<void> | null = null,
  ): Promise<boolean> {
    const { runs } = this;
    const added = remembered ? runs.addCallAfter(remembered, runId, call) : runs.addCall(runId, call);
    return (await tx.ask(added)) || this.memory.addCall(tx, sessionId, call);
  }
}
