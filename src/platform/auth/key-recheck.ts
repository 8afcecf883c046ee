import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../context/request-context.js';
import { authErrors } from './auth.errors.js';
import { KeyDirectory } from './key-directory.js';
import { RevocationListener } from './revocation-listener.js';

/**
 * The minimum time between marking a key as revoked and answering the revocation. If a key was found valid less than
 * this ago, its revocation cannot have been answered yet, whatever notifications this process has received.
 */
export const REVOCATION_TAKES_MS = 25;

/** Checks once more, before an answer is sent, whether the caller's key is still valid. */
@Injectable()
export class KeyRecheck {
  constructor(
    private readonly listener: RevocationListener,
    private readonly keys: KeyDirectory,
  ) {}

  async beforeAnswer(request: RequestContext): Promise<void> {
    const { actor, keyReadAt } = request;
    if (!actor?.keyId || performance.now() - keyReadAt < REVOCATION_TAKES_MS) return;
    // A process that was suspended may have unread notifications of a revocation. The first turn of the event loop
    // handles what was read before, and the second reads what has arrived since.
    await turnOfTheLoop();
    await turnOfTheLoop();
    if (!this.listener.isListening) {
      const good = await this.keys.stillValid([actor.keyId]);
      if (!good.has(actor.keyId)) throw authErrors.keyRevoked();
    }
    request.throwIfAborted();
  }
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
