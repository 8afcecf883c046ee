import { RunningRequests } from '../../src/platform/auth/running-requests.js';
import { eventually } from './eventually.js';
import type { Service } from './service.js';
import type { TestDatabase } from './test-database.js';

/** Waits until the service in this process runs a request with the key. */
export async function untilRunning(service: Service, keyId: string): Promise<void> {
  await eventually(
    () => service.app.get(RunningRequests).keysInUse(),
    (inUse) => inUse.includes(keyId),
  );
}

/** Waits until a process has accepted a request of the key, because the first use is written after that. */
export async function untilUsed(database: TestDatabase, keyId: string): Promise<void> {
  await eventually(
    () => database.rows('select from api_key_use where key_id = $1', [keyId]),
    (rows) => rows.length === 1,
  );
}

/** Waits until a statement of the service waits for a lock. */
export async function untilWaiting(database: TestDatabase, statement: string): Promise<void> {
  await eventually(
    () => database.waiting(),
    (waiting) => waiting.some((query) => query.includes(statement)),
  );
}
