import { setLoadingOwner } from '../../kernel/owners.js';
import { noteTables } from './defined-tables.js';

/** Loads files of this owner, to which all that they define belongs. */
export async function loadFor<Loaded>(owner: string, load: () => Promise<Loaded>): Promise<Loaded> {
  const before = goOnLoadingFor(owner);
  try {
    return await load();
  } finally {
    goOnLoadingFor(before);
  }
}

/** Everything that is loaded from now on belongs to this owner. Returns the one before, which has all entities so far. */
export function goOnLoadingFor(owner: string): string {
  noteTables();
  return setLoadingOwner(owner);
}
