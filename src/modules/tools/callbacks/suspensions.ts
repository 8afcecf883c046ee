import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Id, newId } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import type { SuspensionRow } from './suspension.entity.js';
import { SuspensionRepository } from './suspension.repository.js';

/** A suspension with the secret that signs its callback. */
export interface UnsealedSuspension extends SuspensionRow {
  secret: string;
}

const secretColumn = defineSealed({ table: 'tool_suspension', column: 'secret_sealed' });
const SECRET_BYTES = 32;

/** Seals the secrets of suspensions, and opens them again. */
@Injectable()
export class Suspensions {
  constructor(
    private readonly database: Database,
    private readonly suspensions: SuspensionRepository,
    private readonly vault: Vault,
  ) {}

  /** Returns the run's suspension of that number. The first call creates it. */
  async open(runId: Id<'toolRun'>, number: number): Promise<UnsealedSuspension> {
    const id = newId('suspension');
    const secretSealed = this.vault.seal(randomBytes(SECRET_BYTES).toString('base64url'), secretColumn, id);
    await this.database.ask(this.suspensions.add({ id, runId, number, secretSealed }));
    const suspension = await this.database.ask(this.suspensions.ofRun(runId, number));
    return this.unsealed(suspension!);
  }

  async find(suspensionId: Id<'suspension'>): Promise<UnsealedSuspension | null> {
    const suspension = await this.database.ask(this.suspensions.byId(suspensionId));
    return suspension && this.unsealed(suspension);
  }

  private unsealed(suspension: SuspensionRow): UnsealedSuspension {
    return { ...suspension, secret: this.vault.open(suspension.secretSealed, secretColumn, suspension.id) };
  }
}

/** Whether the signature is `sha256=` and the HMAC of the raw body in hexadecimal. */
export function isSignedBy(secret: string, body: Buffer, signature: string): boolean {
  const [, mac = ''] = /^sha256=([0-9a-f]{64})$/i.exec(signature) ?? [];
  const wanted = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(mac, 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
