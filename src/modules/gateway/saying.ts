import { storableText } from '../../kernel/storable-text.js';
import type { Said, ToolCall } from './call-payload.js';
import type { ModelPart, ModelResult } from './gateway.port.js';

/** What an answer says, put together. */
export function saidIn(content: ModelResult['content']): Said {
  const saying = new Saying();
  for (const part of content) {
    if (part.type === 'text') saying.write(part.text);
    else if (part.type === 'tool-call') saying.add(part);
  }
  return saying.said;
}

/** Puts together what a stream says. */
export class Saying {
  private text = '';
  private readonly toolCalls: ToolCall[] = [];

  /** So that whoever keeps it can: the ledger, sessions, summaries. */
  get said(): Said {
    return { text: storableText(this.text), toolCalls: this.toolCalls };
  }

  write(text: string): void {
    this.text += text;
  }

  /** Whether the part is something that the model wrote. */
  add(part: ModelPart): boolean {
    switch (part.type) {
      case 'text-delta':
        this.write(part.delta);
        return true;
      case 'tool-call':
        this.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
        return true;
      case 'reasoning-delta':
      case 'tool-input-start':
        return true;
      default:
        return false;
    }
  }
}
