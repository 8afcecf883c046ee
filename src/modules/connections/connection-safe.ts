import { Injectable } from '@nestjs/common';
import { SealedTextError } from '../../platform/crypto/sealed-text-error.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Log } from '../../platform/telemetry/log.js';
import { ConnectionProtocols } from './connection-protocols.js';
import { type Connection, shownFieldsOf } from './connection.entity.js';
import { type JsonObject, reunite, type Secrets, separate } from './secret-members.js';

const secretsColumn = defineSealed({ table: 'connection', column: 'secrets_sealed' });

/** Seals the secrets of connections, and opens them for calls. */
@Injectable()
export class ConnectionSafe {
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
      return JSON.parse(this.vault.open(connection.secretsSealed, secretsColumn, connection.id)) as Secrets;
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
}
