type Defined<Members extends object> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** Removes members that are `undefined`, which would overwrite a value where an absent member would not. */
export function definedMembers<Members extends object>(members: Members): Defined<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Members>;
}

type Given<Members extends object> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

/** Removes members that are `undefined` or `null`. */
export function givenMembers<Members extends object>(members: Members): Given<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Given<Members>;
}
