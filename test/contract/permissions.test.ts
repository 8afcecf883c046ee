import { type Permission, toPermissionMap, withImplied } from '../../src/kernel/permissions.js';
import { PERMISSION_NAMES, PERMISSIONS } from '../../src/modules/permissions.js';

const OF_THE_SPECIFICATION = [
  'APP_VIEW',
  'APP_EDIT',
  'APP_FULL',
  'AGENTS_VIEW',
  'AGENTS_EDIT',
  'AGENTS_FULL',
  'API_SCOPE_KEY_VIEW',
  'API_SCOPE_KEY_EDIT',
  'API_SCOPE_KEY_FULL',
  'RUN_API',
  'SESSION_CREATION',
  'DOCUMENT_UPLOAD',
  'SESSION_TERMINATION',
  'SESSIONS_LIST',
];
const OF_THE_DECISIONS = [
  'analytics:read',
  'analytics:write',
  'CONNECTIONS_VIEW',
  'CONNECTIONS_MANAGE',
  'HTTP_ASYNC_SEND',
  'DOCK_MANAGE',
];

/** Modules that are added later may have further permissions, which are listed after these. */
const WANTED = [...OF_THE_SPECIFICATION, ...OF_THE_DECISIONS] as Permission[];

it('begins with the fourteen permissions of the specification and six more', () => {
  expect(PERMISSION_NAMES.slice(0, WANTED.length)).toEqual(WANTED);
});

it.each(PERMISSION_NAMES)('says in a sentence what %s allows', (name) => {
  expect(PERMISSIONS[name].allows).toMatch(/^[A-Z].{5,}\.$/);
});

const implied: [Permission, Permission[]][] = [
  ['APP_FULL', ['APP_VIEW', 'APP_EDIT', 'APP_FULL', 'DOCK_MANAGE']],
  ['APP_EDIT', ['APP_VIEW', 'APP_EDIT']],
  ['AGENTS_FULL', ['AGENTS_VIEW', 'AGENTS_EDIT', 'AGENTS_FULL']],
  ['AGENTS_EDIT', ['AGENTS_VIEW', 'AGENTS_EDIT']],
  ['API_SCOPE_KEY_FULL', ['API_SCOPE_KEY_VIEW', 'API_SCOPE_KEY_EDIT', 'API_SCOPE_KEY_FULL']],
  ['API_SCOPE_KEY_EDIT', ['API_SCOPE_KEY_VIEW', 'API_SCOPE_KEY_EDIT']],
  ['CONNECTIONS_MANAGE', ['CONNECTIONS_VIEW', 'CONNECTIONS_MANAGE']],
];

it.each(implied)('lets %s imply the permissions below it', (name, all) => {
  expect([...withImplied([name])].sort()).toEqual(all.toSorted());
});

it('lets all others of them imply nothing', () => {
  const implying = implied.map(([name]) => name);
  for (const name of WANTED.filter((other) => !implying.includes(other))) {
    expect([...withImplied([name])]).toEqual([name]);
  }
});

it('implies only permissions that exist', () => {
  const unknown = PERMISSION_NAMES.flatMap((name) => PERMISSIONS[name].implies ?? []).filter(
    (name) => !(name in PERMISSIONS),
  );
  expect(unknown).toEqual([]);
});

it('ignores permissions that a newer release may have granted', () => {
  expect([...withImplied(['RUN_API', 'OF_THE_FUTURE' as Permission])]).toEqual(['RUN_API']);
});

it('stores every permission as it was set, without the implied ones', () => {
  const map = toPermissionMap(['APP_FULL']);
  expect(Object.keys(map)).toEqual([...PERMISSION_NAMES]);
  expect(Object.entries(map).filter(([, answer]) => answer === 'YES')).toEqual([['APP_FULL', 'YES']]);
});
