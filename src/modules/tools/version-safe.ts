import { Injectable } from '@nestjs/common';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import type { Documents } from './documents.js';
import { Tool } from './tool.entity.js';
import { ToolVersion } from './tool-version.entity.js';

const secretsColumn = defineSealed({ table: 'tool_version', column: 'secrets_sealed' });

/** Puts the secret variables of versions away and takes them out again. */
@Injectable()
export class VersionSafe {
  constructor(private readonly vault: Vault) {}

  /** A secret that is empty in the documents keeps the value that the version before has. */
  versionOf(tool: Tool, documents: Documents, before: ToolVersion | null): ToolVersion {
    const known = before ? this.secretsOf(before) : {};
    const secrets = documents.variables.flatMap(({ name, value, secret }) => {
      return secret ? [[name, value === '' ? (known[name] ?? '') : value] as const] : [];
    });
    const variables = documents.variables.map((one) => (one.secret ? { ...one, value: '' } : one));
    const version = new ToolVersion(tool, (before?.number ?? 0) + 1, { ...documents, variables });
    const text = JSON.stringify(Object.fromEntries(secrets));
    version.secretsSealed = secrets.length === 0 ? null : this.vault.seal(text, secretsColumn, version.id);
    return version;
  }

  secretsOf({ id, secretsSealed }: Pick<ToolVersion, 'id' | 'secretsSealed'>): Record<string, string> {
    if (secretsSealed === null) return {};
    return JSON.parse(this.vault.open(secretsSealed, secretsColumn, id)) as Record<string, string>;
  }
}
