import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { mergeMap, Observable, race } from 'rxjs';
import { currentRequest } from '../context/request-context.js';
import { routeOf } from '../route/route.js';
import { authErrors } from './auth.errors.js';
import { KeyDirectory } from './key-directory.js';
import { RevocationListener } from './revocation-listener.js';

/** Outermost of the interceptors: an aborted request is answered at once, whatever its handler still waits for. */
@Injectable()
export class RevocationInterceptor implements NestInterceptor {
  constructor(
    private readonly listener: RevocationListener,
    private readonly keys: KeyDirectory,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { abort, actor } = currentRequest()!;
    const { signal } = abort;
    const handled = race(whenAborted(signal), next.handle());
    if (!actor?.keyId || routeOf(context).survivesRevocation) return handled;
    const { keyId } = actor;
    return handled.pipe(mergeMap((answer: unknown) => this.checkAgain(keyId, signal).then(() => answer)));
  }

  private async checkAgain(keyId: string, signal: AbortSignal): Promise<void> {
    // A process that stood still may have the news of a revocation waiting: the first turn ends what was read before,
    // the second reads what has come since.
    await pendingEvents();
    await pendingEvents();
    if (!this.listener.isListening) {
      const good = await this.keys.stillGood([keyId]);
      if (!good.has(keyId)) throw authErrors.keyRevoked();
    }
    signal.throwIfAborted();
  }
}

let turn: Promise<void> | undefined;

/** One promise for all requests that wait for the same turn of the loop. */
function pendingEvents(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

function whenAborted(signal: AbortSignal): Observable<never> {
  return new Observable((subscriber) => {
    const stop = () => subscriber.error(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
  });
}
