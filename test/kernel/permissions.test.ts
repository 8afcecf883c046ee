import { addPermissions, PERMISSION_NAMES } from '../../src/kernel/permissions.js';
import { StartError } from '../../src/kernel/start-error.js';

it('a permission that is there already is refused, and stays as it is', () => {
  addPermissions({ ACME_READ: { allows: 'Read documents.' } });
  expect(() => addPermissions({ ACME_READ: { allows: 'Read everything.' } })).toThrow(
    new StartError('The permission ACME_READ is defined twice. Rename one of them.'),
  );
  expect(PERMISSION_NAMES.filter((name) => String(name) === 'ACME_READ')).toHaveLength(1);
});
