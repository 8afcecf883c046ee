import { createHash, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../kernel/base62.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import type { TokenAlgorithm } from '../../platform/auth/jwt-client-directory.js';
import { defineSealed, type SealedColumn } from '../../platform/crypto/sealed-column.js';
import { SealedTextError } from '../../platform/crypto/sealed-text-error.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Log } from '../../platform/telemetry/log.js';
import { agentAssistErrors } from './agent-assist.errors.js';

const KEPT_KEYS = 1_000;
/** This many base-62 digits have at least the 256 bits of the digest (62^43 > 2^256). */
const SECRET_DIGITS = 43;
const MIN_BITS = 2_048;
/** Limited because the time to verify a signature grows with the length of the key. */
const MAX_BITS = 8_192;
const MAX_PEM = 8_192;
const PUBLIC_PEM = /^-----BEGIN (RSA )?PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\s]+-----END (RSA )?PUBLIC KEY-----\s*$/;

const keyColumn = defineSealed({ table: 'jwt_client', column: 'key_sealed' });
const previousColumn = defineSealed({ table: 'jwt_client', column: 'previous_key_sealed' });

/** The secret or public key of a client. The hint lets people tell keys apart. */
export interface SigningKey {
  text: string;
  hint: string;
  /** The caller sees the secret once. Null for a public key, whose private key the client has. */
  secret: string | null;
}

export interface SealedKeys {
  keySealed: string;
  previousKeySealed: string | null;
}

/**
 * Makes, seals and opens the keys with which tokens are verified. Public keys are sealed as well, so that a key that an
 * attacker writes into the table is not accepted.
 */
@Injectable()
export class JwtClientKeys {
  /** A cache, because opening a key takes as long as the rest of the verification. A key sealed again has another name. */
  private readonly known = new RecentlyUsed<string, KeyObject>(KEPT_KEYS);

  constructor(
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  make(algorithm: TokenAlgorithm, publicKey: string | undefined): SigningKey {
    if (algorithm === 'RS256') return publicSigningKey(publicKey);
    if (publicKey !== undefined) throw agentAssistErrors.publicKeyNotTaken({ reason: 'has no effect with HS256' });
    const secret = randomBase62(SECRET_DIGITS);
    return { text: secret, hint: `********${secret.slice(-4)}`, secret };
  }

  seal(clientId: string, key: SigningKey): string {
    return this.vault.seal(key.text, keyColumn, clientId);
  }

  /** Seals the current key for the column of the previous key. Returns null if it cannot be read. */
  sealAsPrevious(clientId: string, keySealed: string): string | null {
    const text = this.open(clientId, () => this.vault.open(keySealed, keyColumn, clientId));
    return text === undefined ? null : this.vault.seal(text, previousColumn, clientId);
  }

  /** Returns the current and the previous key. A key that cannot be read is left out. */
  keysOf(clientId: string, algorithm: TokenAlgorithm, { keySealed, previousKeySealed }: SealedKeys): KeyObject[] {
    const keys = [this.keyOf(clientId, algorithm, keySealed, keyColumn)];
    if (previousKeySealed !== null) keys.push(this.keyOf(clientId, algorithm, previousKeySealed, previousColumn));
    return keys.filter((key) => key !== undefined);
  }

  private keyOf(
    clientId: string,
    algorithm: TokenAlgorithm,
    sealed: string,
    column: SealedColumn,
  ): KeyObject | undefined {
    const name = [clientId, algorithm, column.column, sealed].join(' ');
    const known = this.known.get(name);
    if (known) return known;
    const text = this.open(clientId, () => this.vault.open(sealed, column, clientId));
    if (text === undefined) return undefined;
    const key = algorithm === 'RS256' ? createPublicKey(text) : createSecretKey(text, 'utf8');
    this.known.set(name, key);
    return key;
  }

  private open(clientId: string, read: () => string): string | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      this.log.warn({ clientId, reason: error.message }, 'A key of a JWT client cannot be read');
      return undefined;
    }
  }
}

function publicSigningKey(pem: string | undefined): SigningKey {
  const refuse = (reason: string) => agentAssistErrors.publicKeyNotTaken({ reason });
  if (pem === undefined) throw refuse('is missing');
  // `createPublicKey` accepts a private key as well, so the form is checked first to refuse one that is sent by mistake.
  if (pem.length > MAX_PEM || !PUBLIC_PEM.test(pem)) throw refuse('is not a public key in PEM');
  const key = toPublicKey(pem);
  const bits = key?.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  if (!key || bits === 0) throw refuse('is not an RSA key');
  if (bits < MIN_BITS || bits > MAX_BITS) throw refuse(`has ${bits} bits`);
  const digest = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return { text: pem, hint: `SHA256:${digest.slice(0, 16)}`, secret: null };
}

function toPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
