import { cutOff, TimedOut } from './errors.js';
import { LONGEST_TIMER_MS } from './time-limit.js';

/**
 * Returns an answer whose body ends with an error if nothing arrives for a while. Only a reader that waits counts: one
 * that is busy with what it has read may take as long as it likes.
 */
export function limitSilence(response: Response, idleTimeoutMs: number): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await nextOf(reader, idleTimeoutMs);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
  return new Response(body, { status, statusText, headers });
}

type Part = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>, idleTimeoutMs: number): Promise<Part> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    if (idleTimeoutMs > LONGEST_TIMER_MS) return;
    timer = setTimeout(() => reject(TimedOut.inSilence(idleTimeoutMs)), idleTimeoutMs);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    // This closes the connection, so that the service learns that its reader has gone.
    reader.cancel(error).catch(() => undefined);
    // Runtimes report a lost connection in this way. Other errors are the reason of the caller's signal.
    throw error instanceof TypeError ? cutOff('the answer', error) : error;
  } finally {
    clearTimeout(timer);
  }
}
