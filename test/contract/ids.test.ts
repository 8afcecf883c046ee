import {
  exampleId,
  ID_PREFIXES,
  idOfNames,
  idPattern,
  type IdKind,
  isAnyId,
  isId,
  newId,
  prefixOf,
} from '../../src/kernel/ids.js';
import { atTime, HOUR } from '../support/clock.js';

const kinds = Object.keys(ID_PREFIXES) as IdKind[];

/** The prefixes of the decisions. A new kind is added to the code and to this list. */
const PREFIXES: Partial<Record<string, string>> = {
  project: 'p-',
  app: 'aa-',
  environment: 'e-',
  scope: 'as-',
  apiKey: 'ak-',
  request: 'tr-',
  file: 'f-',
  uploadSession: 'us-',
  trace: 't-',
  observation: 'o-',
  bot: 'st-',
  jwtClient: 'cs-',
};

it('gives every kind a prefix of its own that no other prefix begins with', () => {
  const prefixes = Object.values(ID_PREFIXES);
  expect(new Set(prefixes).size).toBe(prefixes.length);
  for (const prefix of prefixes) expect(prefix).toMatch(/^[a-z]+(-[a-z]+)*-$/);
});

it('has the prefixes of the decisions', () => {
  expect(ID_PREFIXES).toMatchObject(PREFIXES);
});

describe.each(kinds)('an id of a %s', (kind) => {
  it('is its prefix and letters and digits, without dots', () => {
    const id = newId(kind);
    expect(id).toMatch(new RegExp(idPattern(kind)));
    expect(id.slice(prefixOf(kind).length)).toMatch(/^[0-9A-Za-z]+$/);
    expect(exampleId(kind)).toMatch(new RegExp(idPattern(kind)));
  });

  it('is recognized as this kind and no other', () => {
    const id = newId(kind);
    expect(kinds.filter((other) => isId(other, id))).toEqual([kind]);
    expect(isAnyId(id)).toBe(true);
    for (const other of [`x${id}`, `${id}\n`, '', 'x']) expect(isAnyId(other)).toBe(false);
    expect(isId(kind, `${id}0`)).toBe(false);
    expect(isId(kind, `${id.slice(0, -1)}-`)).toBe(false);
    expect(isId(kind, '')).toBe(false);
  });
});

it('sorts ids by the time of their creation', async () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const times = [0, 1, 2, 61, 62, 3843, 3844, HOUR, 1000 * HOUR, 500_000 * HOUR].map((after) => start + after);
  const ids: string[] = [];
  for (const time of times) ids.push(await atTime(time, async () => newId('project')));
  expect(ids.toSorted()).toEqual(ids);
});

it('makes no id twice', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('project'));
  expect(new Set(ids).size).toBe(ids.length);
});

it('makes the same id from the same names, and another one from other names', () => {
  const id = idOfNames('trace', 'project', 'ab', 'c');
  expect(isId('trace', id)).toBe(true);
  expect(idOfNames('trace', 'project', 'ab', 'c')).toBe(id);
  // A span that is sent again after an upgrade has to be the same one.
  expect(id).toBe('t-pRhMkTf9SEHGCu5ruBJvq1');
  expect(idOfNames('trace', 'project', 'a', 'bc')).not.toBe(id);
});
