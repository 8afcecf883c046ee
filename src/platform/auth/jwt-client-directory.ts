import type { KeyObject } from 'node:crypto';
import type { Transaction } from '../database/transaction.js';
import type { JwtClientActor } from '../../kernel/actor.js';

export const TOKEN_ALGORITHMS = ['HS256', 'RS256'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** A client that signs tokens, and the means to verify its tokens. */
export interface KnownJwtClient {
  actor: JwtClientActor;
  /** The client's algorithm, whatever the token says. */
  algorithm: TokenAlgorithm;
  /** Secrets for HS256 or public keys for RS256: the current one and, while it is being replaced, the previous one. */
  keys: readonly KeyObject[];
  requireExp: boolean;
  enforceJti: boolean;
}

/** Looks up the clients that sign tokens. The agent-assist module implements it. */
export abstract class JwtClientDirectory {
  /** Finds the row with one indexed read, because every request of such a caller waits for it. */
  abstract find(clientId: string): Promise<KnownJwtClient | null>;
  /** Remembers a token until it is no longer valid. Returns false if it was used before. */
  abstract useOnce(clientId: string, jti: string, usableUntil: Date): Promise<boolean>;
  /** Locks the client, so that it is not deleted before the transaction ends. Refuses if it is already deleted. */
  abstract lock(tx: Transaction, actor: JwtClientActor): Promise<void>;
}
