import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../../kernel/errors.js';
import { taskPrompt } from '../../gateway/gateway.port.js';
import { Gateway } from '../../gateway/gateway.service.js';
import { type Memory, SessionMemory } from '../../sessions/memory/session-memory.service.js';
import { tokensIn } from '../../sessions/memory/tokens.service.js';
import { modelNameOf } from '../definitions/agent.entity.js';
import { CallCounts } from './call-counts.js';
import { transcriptOf, turnsIn } from './prompt.js';
import { originOf, type TurnAtWork } from './turn.js';

/** A conversation that has outgrown its budget is put together so far that it has room to grow again. */
const KEPT_PART = 0.5;
const MAX_SUMMARY_TOKENS = 500;

const CONDENSE =
  'Put together in a few sentences what was said in this conversation: facts, names, numbers, decisions, open questions. Leave out greetings. Answer with the summary alone.';

/** What of a conversation a call of the model is given: no more than the agent's budget of tokens. */
@Injectable()
export class History {
  constructor(
    private readonly gateway: Gateway,
    private readonly memory: SessionMemory,
    private readonly counts: CallCounts,
  ) {}

  /** Of what does not fit the oldest turns become a summary, by the agent's own model. */
  async within(turn: TurnAtWork, memory: readonly Memory[]): Promise<readonly Memory[]> {
    const { run, version } = turn;
    const room = version.historyTokens - tokensIn(version.instructions);
    const isThis = ({ turn: number }: Memory) => number === run.number;
    const now = memory.filter(isThis);
    const before = memory.filter((each) => !isThis(each));
    const roomBefore = room - tokensOf(now);
    if (tokensOf(before) <= roomBefore) return memory;
    const kept = newest(before, Math.max(0, roomBefore * KEPT_PART));
    const old = before.filter((each) => !kept.includes(each));
    const summary = await this.condense(turn, old);
    return [...(summary === null ? [] : [summary]), ...kept, ...now];
  }

  /** Null where the model could not: then what is old is left out this time. */
  private async condense(turn: TurnAtWork, old: readonly Memory[]): Promise<Memory | null> {
    const last = old.at(-1);
    if (!last || last.kind === 'summary') return last ?? null;
    const { run, version, signal } = turn;
    const text = transcriptOf(old).slice(-version.historyTokens * 3);
    try {
      const { said } = await this.gateway.generate(
        originOf(turn, 'conversation_history_compaction'),
        modelNameOf(version),
        {
          prompt: taskPrompt(CONDENSE, text),
          maxOutputTokens: MAX_SUMMARY_TOKENS,
          abortSignal: signal,
        },
        async (tx, call) => {
          if (call.said?.text) await this.memory.condense(tx, run.sessionId, last.turn, call.said.text);
          return this.counts.add(tx, run, call);
        },
      );
      return { turn: 0, step: 0, kind: 'summary', content: said.text, tokens: tokensIn(said.text) };
    } catch (error) {
      if (error instanceof SlipwayError) return null;
      throw error;
    }
  }
}

/** Whole turns, the newest first, that have room; in their order. */
function newest(memory: readonly Memory[], room: number): Memory[] {
  const kept: Memory[] = [];
  let left = room;
  for (const turn of turnsIn(memory).toReversed()) {
    left -= tokensOf(turn);
    if (left < 0) break;
    kept.unshift(...turn);
  }
  return kept;
}

/** An answer repeats what the model said, and is not sent. */
function tokensOf(memory: readonly Memory[]): number {
  return memory.reduce((sum, { kind, tokens }) => sum + (kind === 'answer' ? 0 : tokens), 0);
}
