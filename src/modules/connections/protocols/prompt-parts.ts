import type { ModelRequest } from '../../gateway/gateway.port.js';

type Message = ModelRequest['prompt'][number];
type Part = Exclude<Message['content'], string>[number];
type Output = Extract<Part, { type: 'tool-result' }>['output'];

export type FilePart = Extract<Part, { type: 'file' }>;

/** Returns the texts of a message as one. */
export function textIn({ content }: Pick<Message, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function fileParts({ content }: Message): FilePart[] {
  return typeof content === 'string' ? [] : content.filter((part) => part.type === 'file');
}

/** Returns undefined for a file that is named by its address. */
export function base64Of({ data }: FilePart): string | undefined {
  if (data.type !== 'data') return undefined;
  return typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
}

/** Returns the result of a tool as a text. */
export function outputText(output: Output): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The call was denied.';
    default:
      return JSON.stringify(output.value);
  }
}
