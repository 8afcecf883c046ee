import { Injectable } from '@nestjs/common';
import { Notices } from '../../../platform/redis/notices.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { type Alongside, Gateway, isNotTaken } from '../../gateway/gateway.service.js';
import { type Memory, SessionMemory, toMemory } from '../../sessions/memory/session-memory.service.js';
import { modelNameOf } from '../definitions/agent.entity.js';
import { AttachedFiles } from './attached-files.js';
import { CallCounts } from './call-counts.js';
import { History } from './history.js';
import { promptOf } from './prompt.js';
import type { ModelStep } from './steps.js';
import { ToolSteps } from './tool-steps.js';
import { originOf, topicOf, type TurnAtWork } from './turn.js';

/** Calls the agent's model, once for each step. */
@Injectable()
export class ModelSteps {
  constructor(
    private readonly gateway: Gateway,
    private readonly memory: SessionMemory,
    private readonly counts: CallCounts,
    private readonly history: History,
    private readonly tools: ToolSteps,
    private readonly files: AttachedFiles,
    private readonly notices: Notices,
  ) {}

  /** What the model says is remembered in the transaction that writes the call down. Answers with it. */
  async call(turn: TurnAtWork, memory: readonly Memory[], step: number): Promise<Memory | null> {
    let said: Memory | null = null;
    const kept = await this.history.within(turn, memory);
    const tools = await this.tools.offered(turn);
    const ask = async (withFiles: boolean): Promise<void> => {
      const filesOf = await this.files.of(turn.run.projectId, kept, withFiles);
      const request: ModelRequest = {
        prompt: promptOf(turn.version.instructions, kept, filesOf),
        abortSignal: turn.signal,
        ...(tools.length > 0 && { tools }),
      };
      await this.ask(
        turn,
        request,
        this.remembering(turn, step, (remembered) => (said = remembered)),
      );
    };
    await ask(true).catch((error: unknown) => {
      // A model that cannot look at files hears of them by their names.
      if (!isNotTaken(error) || !this.files.areIn(kept)) throw error;
      return ask(false);
    });
    return said;
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
      if (part.type === 'text-delta') this.notices.tell(topicOf(turn.run), { type: 'delta', content: part.delta });
    }
  }

  private remembering({ run }: TurnAtWork, step: number, hear: (said: Memory) => void): Alongside {
    return async (tx, call) => {
      if (call.status !== 'success' || !call.said) return this.counts.add(tx, run, call);
      const said: ModelStep = call.said;
      const entry = toMemory({ turn: run.number, step, kind: 'model', content: JSON.stringify(said) });
      hear(entry);
      return this.counts.add(tx, run, call, this.memory.remember(run.sessionId, entry));
    };
  }
}
