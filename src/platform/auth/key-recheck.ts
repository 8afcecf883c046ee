import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../context/request-context.js';
import { authErrors } from './auth.errors.js';
import { KeyDirectory } from './key-directory.js';
import { RevocationListener } from './revocation-listener.js';

/**
 * No revocation is answered sooner than this after the key was marked. So a key that was found good less than this
 * ago cannot be one whose revocation has been answered, whatever this process has heard.
 */
export const REVOCATION_TAKES_MS = 25;

/** Looks once more whether who asked may have the answer. */
@Injectable()
export class KeyRecheck {
  constructor(
    private readonly listener: RevocationListener,
    private readonly keys: KeyDirectory,
  ) {}

  async beforeAnswer(request: RequestContext): Promise<void> {
    const { actor, keyReadAt } = request;
    if (!actor?.keyId || performance.now() - keyReadAt < REVOCATION_TAKES_MS) return;
    // A process that stood still may have the news of a revocation waiting: the first turn ends what was read before,
    // the second reads what has come since.
    await turnOfTheLoop();
    await turnOfTheLoop();
    if (!this.listener.isListening) {
      const good = await this.keys.stillGood([actor.keyId]);
      if (!good.has(actor.keyId)) throw authErrors.keyRevoked();
    }
    request.throwIfAborted();
  }
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
