import { Injectable } from '@nestjs/common';
import { credentialsOf } from '../../kernel/actor.js';
import { allThatHasArrived } from '../../kernel/event-loop.js';
import type { RequestContext } from '../context/request-context.js';
import { authErrors } from './auth.errors.js';
import { KeyDirectory } from './key-directory.js';
import { KeyListener } from './key-listener.js';

/**
 * The minimum time between marking a key as revoked and answering the revocation. If a key was found valid less than
 * this ago, its revocation cannot have been answered yet, whatever notifications this process has received.
 */
export const REVOCATION_TAKES_MS = 25;

/** Checks once more, before an answer is sent, whether the caller's key is still valid. */
@Injectable()
export class KeyRecheck {
  constructor(
    private readonly listener: KeyListener,
    private readonly keys: KeyDirectory,
  ) {}

  async beforeAnswer(request: RequestContext): Promise<void> {
    const { actor, keyReadAt } = request;
    const credentials = actor ? credentialsOf(actor) : [];
    if (credentials.length === 0 || performance.now() - keyReadAt < REVOCATION_TAKES_MS) return;
    // A process that was suspended may have unread notifications of a revocation.
    await allThatHasArrived();
    if (!this.listener.isListening) {
      const good = await this.keys.stillValid(credentials);
      if (!credentials.every((id) => good.has(id))) throw authErrors.keyRevoked();
    }
    request.throwIfAborted();
  }
}
