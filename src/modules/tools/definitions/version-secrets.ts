import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { shortened } from '../../../kernel/shortened.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { codeOf, DocumentFault } from '../documents/documents.js';
import type { ReadDocuments } from '../documents/documents.thread.js';
import { Tool } from './tool.entity.js';
import { ToolVersion } from './tool-version.entity.js';

const secretsColumn = defineSealed({ table: 'tool_version', column: 'secrets_sealed' });

/** The limit of all secrets of a version in characters, because each text of a run is searched for all of them. */
const MAX_SECRETS = 65_536;

const LONGEST_NAMES = 200;

/** Seals the secret variables of versions, and opens them again. */
@Injectable()
export class VersionSecrets {
  constructor(private readonly vault: Vault) {}

  /**
   * Creates a version. A secret that is empty in the documents keeps the value of the version before, but only if the
   * same scope imported that value: a flow of another scope could send it anywhere. Throws a DocumentFault.
   */
  versionOf(
    tool: Tool,
    scopeId: Id<'scope'> | null,
    documents: ReadDocuments,
    before: ToolVersion | null,
  ): ToolVersion {
    const known = before ? this.secretsOf(before) : {};
    const wanted = documents.variables.filter(({ secret }) => secret);
    const kept = wanted.filter(({ name, value }) => value === '' && known[name]);
    if (kept.length > 0 && (scopeId === null || scopeId !== before?.scopeId)) throw importedByOthers(kept);
    const secrets = wanted.map(({ name, value }) => [name, value === '' ? (known[name] ?? '') : value] as const);
    const size = secrets.reduce((sum, [, value]) => sum + value.length, 0);
    if (size > MAX_SECRETS) {
      const fault = `its secrets, together with the stored ones, have ${size} characters; the limit is ${MAX_SECRETS}`;
      throw new DocumentFault(codeOf('env'), `The env document: ${fault}.`);
    }
    const variables = documents.variables.map((one) => (one.secret ? { ...one, value: '' } : one));
    const version = new ToolVersion(tool, scopeId, (before?.number ?? 0) + 1, { ...documents, variables });
    const text = JSON.stringify(Object.fromEntries(secrets));
    version.secretsSealed = secrets.length === 0 ? null : this.vault.seal(text, secretsColumn, version.id);
    return version;
  }

  secretsOf({ id, secretsSealed }: Pick<ToolVersion, 'id' | 'secretsSealed'>): Record<string, string> {
    if (secretsSealed === null) return {};
    return JSON.parse(this.vault.open(secretsSealed, secretsColumn, id)) as Record<string, string>;
  }
}

function importedByOthers(variables: readonly { name: string }[]): DocumentFault {
  const names = shortened(variables.map(({ name }) => name).join(', '), LONGEST_NAMES);
  const fault = `${names} has no value, and the stored one was imported by keys of another scope`;
  return new DocumentFault('SECRET_OF_ANOTHER_SCOPE', `The env document: ${fault}. Send the values with it.`);
}
