import { APICallError } from '@ai-sdk/provider';
import type { ModelRequest } from '../../gateway/gateway.port.js';

interface JsonPost {
  headers: Record<string, string>;
  body: string;
  signal: ModelRequest['abortSignal'];
  /** Returns what the body of a refusal says beside its status. The default is nothing. */
  refusalIn?: ((body: unknown) => Refusal) | undefined;
}

/** The facts that a provider puts into the body of a refusal instead of its status and headers. */
export interface Refusal {
  status?: number;
  retryAfterSeconds?: number;
}

/** Sends JSON, and throws an error with the status if it is refused. */
export async function postJson(send: typeof fetch, url: string, { headers, body, signal, refusalIn }: JsonPost) {
  const response = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  if (refusalIn) throw refused(url, response, refusalIn(await response.json().catch(() => null)));
  await response.body?.cancel();
  throw refused(url, response);
}

/** An answer that cannot be read is an error with the status of the response. */
export async function readJson<Answer>(
  url: string,
  response: Response,
  read: (answer: unknown) => Answer,
): Promise<Answer> {
  try {
    return read(await response.json());
  } catch (cause) {
    const message = 'The answer of the endpoint cannot be read';
    throw new APICallError({ message, url, requestBodyValues: {}, statusCode: response.status, cause });
  }
}

/** The error has the status only, not the text of the endpoint, which could contain the prompt or a key. */
function refused(url: string, response: Response, { status, retryAfterSeconds }: Refusal = {}): APICallError {
  const statusCode = status ?? response.status;
  return new APICallError({
    message: `The endpoint answered ${statusCode}`,
    url,
    requestBodyValues: {},
    statusCode,
    responseHeaders: {
      ...Object.fromEntries(response.headers),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  });
}
