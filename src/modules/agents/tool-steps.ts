import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../gateway/gateway.port.js';
import type { ToolCall } from './steps.js';
import type { TurnAtWork } from './turn.js';

type OfferedTool = NonNullable<ModelRequest['tools']>[number];

/** Calls the agent's tools, once for each call that the model asks for. */
@Injectable()
export class ToolSteps {
  async offered(_turn: TurnAtWork): Promise<OfferedTool[]> {
    return [];
  }

  /** Until when the turn is suspended, where the tool waits for something. */
  async call(_turn: TurnAtWork, _call: ToolCall, _step: number): Promise<Date | null> {
    throw new Error('No tool was offered');
  }
}
