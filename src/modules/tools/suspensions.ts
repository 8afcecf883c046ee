import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import { sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

export interface Suspension {
  id: Id<'suspension'>;
  runId: Id<'run'>;
  projectId: Id<'project'>;
  number: number;
  secret: string;
  /** Received ones have their payload; expired ones never will. */
  state: 'open' | 'received' | 'expired';
  /** JSON. */
  payload: string | null;
  expiresAt: Date | null;
}

interface Row extends Omit<Suspension, 'secret'> {
  secretSealed: string;
}

const secretColumn = defineSealed({ table: 'tool_suspension', column: 'secret_sealed' });
const SECRET_BYTES = 32;

const SELECT = sql`select tool_suspension.id, run_id as "runId", project_id as "projectId", number,
  secret_sealed as "secretSealed", tool_suspension.state, payload, expires_at as "expiresAt"
  from tool_suspension join tool_run on tool_run.id = run_id`;

/** What runs wait for: one for each time that a run may come to a wait node, there before it does. */
@Injectable()
export class Suspensions {
  constructor(
    private readonly statements: Statements,
    private readonly vault: Vault,
  ) {}

  /** The run's suspension of that number. Whoever asks first makes it. */
  async open(runId: Id<'run'>, number: number): Promise<Suspension> {
    const id = newId('suspension');
    const sealed = this.vault.seal(randomBytes(SECRET_BYTES).toString('base64url'), secretColumn, id);
    await this.statements.run(
      `insert into tool_suspension (id, run_id, number, secret_sealed, state, created_at)
       values ($1, $2, $3, $4, 'open', $5) on conflict (run_id, number) do nothing`,
      [id, runId, number, sealed, clock.now()],
    );
    const [row] = await this.statements.run<Row>(sql`${SELECT} where run_id = ${runId} and number = ${number}`);
    return this.unsealed(row!);
  }

  async find(suspensionId: Id<'suspension'>): Promise<Suspension | null> {
    const [row] = await this.statements.run<Row>(sql`${SELECT} where tool_suspension.id = ${suspensionId}`);
    return row ? this.unsealed(row) : null;
  }

  /** Once the run is locked: who receives and who gives up take turns there. */
  async stateOf(em: EntityManager, suspensionId: Id<'suspension'>): Promise<Suspension['state']> {
    const [row] = await this.statements.runIn<{ state: Suspension['state'] }>(
      em,
      sql`select state from tool_suspension where id = ${suspensionId}`,
    );
    return row!.state;
  }

  async setExpiry(em: EntityManager, suspensionId: Id<'suspension'>, until: Date): Promise<void> {
    await this.statements.runIn(em, sql`update tool_suspension set expires_at = ${until} where id = ${suspensionId}`);
  }

  async receive(em: EntityManager, suspensionId: Id<'suspension'>, payload: string): Promise<void> {
    await this.statements.runIn(
      em,
      sql`update tool_suspension set state = 'received', payload = ${payload} where id = ${suspensionId}`,
    );
  }

  async expire(em: EntityManager, suspensionId: Id<'suspension'>): Promise<void> {
    await this.statements.runIn(em, sql`update tool_suspension set state = 'expired' where id = ${suspensionId}`);
  }

  private unsealed({ secretSealed, ...row }: Row): Suspension {
    return { ...row, secret: this.vault.open(secretSealed, secretColumn, row.id) };
  }
}

/** `sha256=`, then the HMAC of the raw body in hexadecimal. */
export function isSignedBy(secret: string, body: Buffer, signature: string): boolean {
  const [, mac = ''] = /^sha256=([0-9a-f]{64})$/i.exec(signature) ?? [];
  const wanted = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(mac, 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
