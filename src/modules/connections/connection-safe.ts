import { Injectable } from '@nestjs/common';
import { SealedTextError } from '../../platform/crypto/sealed-text-error.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Log } from '../../platform/telemetry/log.js';
import { ConnectionProtocols } from './connection-protocols.js';
import { type Connection, shownFieldsOf } from './connection.entity.js';
import { type JsonObject, reunite, type Secrets, separate } from './secret-members.js';

/** The connections whose opened secrets a process keeps, each of at most some kilobytes. */
const MAX_OPENED = 1_000;

const secretsColumn = defineSealed({ table: 'connection', column: 'secrets_sealed' });

/** Seals the secrets of connections, and opens them for calls. */
@Injectable()
export class ConnectionSafe {
  /** The secrets that were opened last, by connection. Opening them takes longer than the other work for a connection. */
  private readonly opened = new Map<string, { sealed: string; text: string }>();

  constructor(
    private readonly protocols: ConnectionProtocols,
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  /**
   * Stores the fields in the connection. Secrets are sealed in a column of their own; the others are stored with masks.
   */
  put(connection: Connection, fields: JsonObject): void {
    const { shown, secrets } = separate(fields, this.protocols.of(connection).secrets);
    connection.setFields(shown, this.vault.seal(JSON.stringify(secrets), secretsColumn, connection.id));
  }

  /**
   * Returns undefined if the secrets cannot be opened, because their master key is gone or the row was tampered with.
   */
  secretsOf(connection: Pick<Connection, 'id' | 'secretsSealed'>): Secrets | undefined {
    try {
      return JSON.parse(this.open(connection)) as Secrets;
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      this.log.warn({ connectionId: connection.id, reason: error.message }, 'A connection cannot be read');
      return undefined;
    }
  }

  /** Returns the fields with their secrets, for a call; undefined if the secrets cannot be opened. */
  fieldsOf(connection: Pick<Connection, 'id' | 'secretsSealed' | 'fieldsJson'>): JsonObject | undefined {
    const secrets = this.secretsOf(connection);
    return secrets && reunite(shownFieldsOf(connection), secrets);
  }

  private open({ id, secretsSealed: sealed }: Pick<Connection, 'id' | 'secretsSealed'>): string {
    const known = this.opened.get(id);
    if (known?.sealed === sealed) return known.text;
    const text = this.vault.open(sealed, secretsColumn, id);
    this.opened.delete(id);
    this.opened.set(id, { sealed, text });
    const [oldest] = this.opened.keys();
    if (this.opened.size > MAX_OPENED) this.opened.delete(oldest!);
    return text;
  }
}
