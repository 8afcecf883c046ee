/** The owner of what Slipway's own files define. */
export const SLIPWAY = 'Slipway';
/** The owner of what is defined while the configuration is loaded. */
export const CONFIGURATION = 'the configuration';

interface Class {
  readonly name: string;
}

let loading = SLIPWAY;
const owners = new WeakMap<object, string>();

/** Returns the owner of the files that are being loaded: Slipway, the configuration or a plugin. */
export function loadingOwner(): string {
  return loading;
}

/** Everything that is loaded from now on belongs to this owner. Returns the one before. */
export function setLoadingOwner(owner: string): string {
  const before = loading;
  loading = owner;
  return before;
}

/** Notes that a class belongs to the owner whose files are being loaded. The first call for a class counts. */
export function noteOwner(of: object): void {
  if (!owners.has(of)) owners.set(of, loading);
}

/** Returns the owner of a class. One that was never noted belongs to the owner of the class that it extends. */
export function ownerOf(of: object): string {
  const owner = owners.get(of);
  if (owner) return owner;
  const extended = Object.getPrototypeOf(of) as object | null;
  return extended ? ownerOf(extended) : SLIPWAY;
}

/** Returns the names of two classes with those of their owners, because two plugins may have classes of one name. */
export function namesOfBoth(one: Class, other: Class): string {
  const [owner, otherOwner] = [ownerOf(one), ownerOf(other)];
  const first = owner === otherOwner ? one.name : `${one.name} of ${owner}`;
  return `${first} and ${other.name} of ${otherOwner}`;
}
