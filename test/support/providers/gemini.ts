import type { ServerResponse } from 'node:http';
import type { ChatBody } from './model-double.js';

/** Gemini counts thoughts apart from what it answers, and cached tokens among those of the prompt. */
export const GEMINI_USAGE = {
  promptTokenCount: 20,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 4,
  totalTokenCount: 29,
};

/** A prompt that the filters of Gemini block. */
export const BLOCKED = 'Say something forbidden';

interface Part {
  text?: string;
  functionResponse?: { response: object };
}

/** Answers with the user's message, or calls the first function once, as Gemini does. */
export function answerAsGemini(body: ChatBody, path: string, response: ServerResponse): void {
  const { contents = [], tools = [] } = body as { contents?: { parts: Part[] }[]; tools?: Declared[] };
  const last = contents.at(-1)?.parts ?? [];
  const parts = last.some(({ text }) => text === BLOCKED) ? undefined : answered(last, tools);
  const head = { modelVersion: 'gemini-2.5-flash', responseId: 'r1' };
  if (path.includes(':streamGenerateContent')) return stream(head, parts, response);
  response.setHeader('content-type', 'application/json; charset=UTF-8');
  response.end(JSON.stringify({ ...head, ...withFinish(parts), usageMetadata: GEMINI_USAGE }));
}

interface Declared {
  functionDeclarations: { name: string }[];
}

function answered(last: Part[], [tool]: Declared[]): object[] {
  const results = last.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.response] : []));
  const name = tool?.functionDeclarations[0]?.name;
  if (results.length === 0 && name !== undefined)
    return [{ functionCall: { name, args: { city: 'Oslo' } }, thoughtSignature: 'c2lnbmVk' }];
  const said = results.length > 0 ? JSON.stringify(results) : last.map(({ text = '' }) => text).join('');
  const thought = { text: 'The user wants an echo.', thought: true };
  return [thought, ...`You said: ${said}`.split(/(?<= )/).map((text) => ({ text }))];
}

function withFinish(parts: object[] | undefined, finishReason = 'STOP'): object {
  if (!parts) return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
  return { candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }] };
}

function stream(head: object, parts: object[] | undefined, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  const send = (data: object) => response.write(`data: ${JSON.stringify({ ...data, ...head })}\r\n\r\n`);
  for (const part of parts?.slice(0, -1) ?? [])
    send({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] });
  send({ ...withFinish(parts?.slice(-1)), usageMetadata: GEMINI_USAGE });
  response.end();
}
