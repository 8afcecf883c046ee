import { Injectable } from '@nestjs/common';
import { maskSecret } from '../../kernel/secret-mask.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { SealedTextError } from '../../platform/crypto/sealed-text-error.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Log } from '../../platform/telemetry/log.js';
import type { McpConnection, McpHeader } from './mcp-connection.entity.js';

const headersColumn = defineSealed({ table: 'mcp_connection', column: 'headers_sealed' });

/** Seals the headers of MCP connections, and opens them for requests. Every value counts as a secret. */
@Injectable()
export class McpHeaders {
  constructor(
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  put(connection: McpConnection, headers: readonly McpHeader[]): void {
    const shown = headers.map(({ key, value }) => ({ key, value: maskSecret(value) }));
    connection.setHeaders(shown, this.vault.seal(JSON.stringify(headers), headersColumn, connection.id));
  }

  /** Returns undefined if the headers cannot be opened, because their master key is gone or the row was tampered with. */
  of({ id, headersSealed }: McpConnection): McpHeader[] | undefined {
    try {
      return JSON.parse(this.vault.open(headersSealed, headersColumn, id)) as McpHeader[];
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      this.log.warn({ mcpConnectionId: id, reason: error.message }, 'The headers of an MCP connection cannot be read');
      return undefined;
    }
  }
}
