import { ID_PREFIXES, idKinds } from '../../kernel/ids.js';
import type { DefinedKind } from '../../kernel/named-definitions.js';
import { SLIPWAY } from '../../kernel/owners.js';
import { PERMISSION_NAMES } from '../../kernel/permissions.js';
import { StartError } from '../../kernel/start-error.js';
import { settingsSchema } from '../config/settings-schema.js';
import { TABLES_WITHOUT_ENTITY } from './tables-without-entity.js';

type Kind = 'name' | 'kind of ids' | 'prefix of ids' | 'permission' | 'setting' | 'table' | DefinedKind;

/** The names that are taken, and by whom. Two plugins with the same name would use each other's rows or rights. */
export class Names {
  private readonly owners = new Map<string, string>();

  constructor() {
    this.take(SLIPWAY, 'name', ['slipway']);
    this.take(SLIPWAY, 'kind of ids', idKinds());
    this.take(SLIPWAY, 'prefix of ids', Object.values(ID_PREFIXES));
    this.take(SLIPWAY, 'permission', PERMISSION_NAMES);
    this.take(SLIPWAY, 'setting', Object.keys(settingsSchema.shape));
    this.take(SLIPWAY, 'table', Object.keys(TABLES_WITHOUT_ENTITY));
  }

  take(owner: string, kind: Kind, names: readonly string[]): void {
    for (const name of names) {
      const key = `${kind} ${name}`;
      const other = this.owners.get(key);
      if (other) throw new StartError(asSentence(`${other} and ${owner} both have the ${key}. Rename one of them.`));
      this.owners.set(key, owner);
    }
  }

  /** Returns `Slipway` or `the plugin …`, if the name is taken. */
  ownerOf(kind: Kind, name: string): string | undefined {
    return this.owners.get(`${kind} ${name}`);
  }
}

export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
