type Defined<Members extends object> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** What was sent and nothing beside it: where a member is absent, one that is `undefined` would overwrite. */
export function definedMembers<Members extends object>(members: Members): Defined<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Members>;
}

type Given<Members extends object> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

/** The same, where `null` says as little. */
export function givenMembers<Members extends object>(members: Members): Given<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Given<Members>;
}
