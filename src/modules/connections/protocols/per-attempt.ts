import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { type ModelProtocol, UnsupportedRequest } from '../../gateway/gateway.port.js';

/** The guarded client. It reads more of an answer that should be a stream. */
export type GuardedFetch = (isStream: boolean, ...request: Parameters<typeof fetch>) => Promise<Response>;

/**
 * Makes the protocol again for each attempt, to notice whether anything was sent. A failure before that is due to the
 * request.
 */
export function perAttempt(guarded: GuardedFetch, make: (send: typeof fetch) => ModelProtocol): ModelProtocol {
  const attempt = async <T>(isStream: boolean, call: (protocol: ModelProtocol) => PromiseLike<T>): Promise<T> => {
    let isSent = false;
    const send: typeof fetch = (input, init) => {
      isSent = true;
      return guarded(isStream, input, init);
    };
    try {
      return await call(make(send));
    } catch (error) {
      throw isSent ? error : toUnsupportedRequest(error);
    }
  };
  const { provider, modelId, supportedUrls } = make((...request) => guarded(false, ...request));
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls,
    doGenerate: (request) => attempt(false, (protocol) => protocol.doGenerate(request)),
    doStream: (request) => attempt(true, (protocol) => protocol.doStream(request)),
  };
}

function toUnsupportedRequest(error: unknown): UnsupportedRequest {
  if (error instanceof UnsupportedRequest) return error;
  const missing = UnsupportedFunctionalityError.isInstance(error)
    ? `, because its protocol does not support ${error.functionality}`
    : '';
  return new UnsupportedRequest(`cannot be sent this request${missing}`, error);
}
