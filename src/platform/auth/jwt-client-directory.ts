import type { KeyObject } from 'node:crypto';
import type { Transaction } from '../database/transaction.js';
import type { JwtClientActor } from '../../kernel/actor.js';

export const TOKEN_ALGORITHMS = ['HS256', 'RS256'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** A client that signs tokens, and by what they are known to be its own. */
export interface KnownJwtClient {
  actor: JwtClientActor;
  /** The client's, whatever a token says of itself. */
  algorithm: TokenAlgorithm;
  /** Secrets for HS256, public keys for RS256: the one that signs, and while it is replaced the one before. */
  keys: readonly KeyObject[];
  requireExp: boolean;
  enforceJti: boolean;
}

/** Where the clients that sign tokens are looked up. The agent-assist module implements it. */
export abstract class JwtClientDirectory {
  /** One indexed read. */
  abstract find(clientId: string): Promise<KnownJwtClient | null>;
  /** Remembers a token until it is of no use any more. False when it was remembered already. */
  abstract useOnce(clientId: string, jti: string, usableUntil: Date): Promise<boolean>;
  /** Keeps the client from going before the transaction ends; refuses when it is gone. */
  abstract hold(tx: Transaction, actor: JwtClientActor): Promise<void>;
}
