import type { ModelRequest } from './gateway.port.js';

export type ToolCall = {
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
};

/** What a model said, put together. */
export interface Said {
  text: string;
  toolCalls: ToolCall[];
}

type Message = ModelRequest['prompt'][number];
type Part = Exclude<Message['content'], string>[number];

type CallPayload = {
  request: { model: string; messages: { role: string; content: string }[] };
  response: { text: string; toolCalls?: ToolCall[] } | null;
};

/** What the ledger keeps of a call: text as it was, and of files that there were some. */
export function payloadOf(model: string, { prompt }: ModelRequest, said: Said | null): CallPayload {
  const messages = prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(readable).join('\n'),
  }));
  return {
    request: { model, messages },
    response: said && { text: said.text, ...(said.toolCalls.length > 0 && said) },
  };
}

function readable(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return `[call of ${part.toolName}: ${JSON.stringify(part.input)}]`;
    case 'tool-result':
      return 'value' in part.output ? textOf(part.output.value) : `[${part.output.type}]`;
    case 'file':
      return `[file: ${part.mediaType}]`;
    default:
      return `[${part.type}]`;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
