import type { UseQueryResult } from '@tanstack/react-query';

/** A thing that a form offers. */
export interface Usable {
  id: string;
  label: string;
}

/** Says why a thing is not among those that can be used. */
export const GONE = 'is deleted';

/** Adds what is used but was not found, so that a form shows it. */
export function withGone(usable: readonly Usable[], used: readonly string[], why = GONE): Usable[] {
  const gone = used.filter((id) => !usable.some((each) => each.id === id));
  return [...usable, ...gone.map((id) => ({ id, label: `${id} ${why}.` }))];
}

type Read = Pick<UseQueryResult, 'data' | 'error' | 'isFetchedAfterMount'>;

type Choices<Reads> = { [Name in keyof Reads]: Reads[Name] extends { data: infer Data } ? NonNullable<Data> : never };

/**
 * Joins the readings of all among which a form lets the user choose. An earlier reading may lack what is used by now, so
 * each has to be new.
 */
export function choicesOf<Reads extends Record<string, Read>>(
  reads: Reads,
): { data: Choices<Reads> | undefined; error: Error | null } {
  const all = Object.entries(reads);
  const areNew = all.every(([, { data, isFetchedAfterMount }]) => data !== undefined && isFetchedAfterMount);
  const choices = Object.fromEntries(all.map(([name, { data }]) => [name, data])) as Choices<Reads>;
  const failed = all.find(([, { error }]) => error);
  return { data: areNew ? choices : undefined, error: failed?.[1].error ?? null };
}
