import { UnsupportedFunctionalityError } from 'ai';
import { type ModelProtocol, RequestNotTaken } from '../../gateway/gateway.port.js';

/** The guarded client for one attempt. */
export type GuardedFetch = typeof fetch;

/** The protocol made anew for each attempt: one that fails before anything was sent failed for what was asked. */
export function perAttempt(guarded: GuardedFetch, make: (fetch: GuardedFetch) => ModelProtocol): ModelProtocol {
  const attempt = async <T>(call: (protocol: ModelProtocol) => PromiseLike<T>): Promise<T> => {
    let isSent = false;
    const send: GuardedFetch = (input, init) => {
      isSent = true;
      return guarded(input, init);
    };
    try {
      return await call(make(send));
    } catch (error) {
      throw isSent ? error : toNotTaken(error);
    }
  };
  const { provider, modelId, supportedUrls } = make(guarded);
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls,
    doGenerate: (request) => attempt((protocol) => protocol.doGenerate(request)),
    doStream: (request) => attempt((protocol) => protocol.doStream(request)),
  };
}

function toNotTaken(error: unknown): RequestNotTaken {
  if (error instanceof RequestNotTaken) return error;
  const missing = UnsupportedFunctionalityError.isInstance(error) ? `: its protocol has no ${error.functionality}` : '';
  return new RequestNotTaken(`cannot be sent this request${missing}`, error);
}
