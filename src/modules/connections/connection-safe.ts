import { Injectable } from '@nestjs/common';
import { SealedTextError } from '../../platform/crypto/sealed-text-error.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Log } from '../../platform/telemetry/log.js';
import { type Connection, shownFieldsOf } from './connection.entity.js';
import { type JsonObject, reunite, type Secrets, separate } from './secret-members.js';

const secretsColumn = defineSealed({ table: 'connection', column: 'secrets_sealed' });

/** Puts the secrets of connections away and takes them out again. */
@Injectable()
export class ConnectionSafe {
  constructor(
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  /** Keeps the fields in the connection: what may be seen, and apart from it what may not. */
  put(connection: Connection, fields: JsonObject): void {
    const { shown, secrets } = separate(fields);
    connection.setFields(shown, this.vault.seal(JSON.stringify(secrets), secretsColumn, connection.id));
  }

  /** Nothing where they cannot be read: their master key is gone, or the row was changed. */
  secretsOf(connection: Pick<Connection, 'id' | 'secretsSealed'>): Secrets | undefined {
    try {
      return JSON.parse(this.vault.open(connection.secretsSealed, secretsColumn, connection.id)) as Secrets;
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      this.log.warn({ connectionId: connection.id, reason: error.message }, 'A connection cannot be read');
      return undefined;
    }
  }

  /** With their secrets, for a call; nothing where these cannot be read. */
  fieldsOf(connection: Pick<Connection, 'id' | 'secretsSealed' | 'fieldsJson'>): JsonObject | undefined {
    const secrets = this.secretsOf(connection);
    return secrets && reunite(shownFieldsOf(connection), secrets);
  }
}
