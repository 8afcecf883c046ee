import { OutboundFault } from './outbound.errors.js';

/** The answer with a body that fails, and closes the connection, past so many bytes. `explain` makes errors ours. */
export function bounded(response: Response, maxBytes: number, explain: (error: unknown) => unknown): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let received = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        received += value.byteLength;
        if (received > maxBytes) throw new OutboundFault('tooLarge');
        controller.enqueue(value);
      } catch (error) {
        controller.error(explain(error));
        await reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(counted, { status, statusText, headers: [...headers] });
}
