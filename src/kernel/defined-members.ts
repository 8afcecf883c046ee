type Defined<Members extends object> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** What was sent and nothing beside it: where a member is absent, one that is `undefined` would overwrite. */
export function definedMembers<Members extends object>(members: Members): Defined<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Members>;
}
