import { fileURLToPath } from 'node:url';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const MAIN = fileURLToPath(new URL('./tasks.mjs', import.meta.url));

export interface Task {
  lane: string;
  n: number;
}

type Role = 'api' | 'worker';

/** Processes that accept tasks and do them, with a record of every task. */
export class TaskService {
  readonly accepted: Task[] = [];
  private readonly processes = new Set<ServiceProcess>();
  private isOver = false;

  private constructor(
    readonly settings: SettingsOfTest,
    readonly database: TestDatabase,
  ) {}

  static async create(changes: SettingsOfTest = {}): Promise<TaskService> {
    const settings = { ...settingsFor(await createDatabase()), ...changes };
    const database = new TestDatabase(settings.DATABASE_URL!);
    await database.rows('create table done_task (at bigint generated always as identity, lane text, n integer)');
    await database.rows('create table overlap (lane text)');
    return new TaskService(settings, database);
  }

  async start(role: Role): Promise<ServiceProcess> {
    const process = await startProcess({ ...this.settings, SLIPWAY_ROLE: role }, MAIN);
    this.processes.add(process);
    return process;
  }

  async kill(process: ServiceProcess): Promise<void> {
    this.processes.delete(process);
    await process.kill();
  }

  /** Sends a task. A task without an answer may still be done, because only the answer may be lost. */
  async task(api: ServiceProcess, lane: string, n: number, ms = 2): Promise<boolean> {
    const isAccepted = await fetch(`${api.url}/tasks?lane=${lane}&n=${n}&ms=${ms}`, {
      signal: AbortSignal.timeout(10_000),
    }).then(
      ({ status }) => status === 202,
      () => false,
    );
    if (isAccepted) this.accepted.push({ lane, n });
    return isAccepted;
  }

  /**
   * Sends tasks in so many lanes until `end` is called. Each lane sends its next task when the last one is answered.
   */
  load(api: () => ServiceProcess, lanes: number): { end(): Promise<void> } {
    this.isOver = false;
    const ended = Array.from({ length: lanes }, async (_, lane) => {
      for (let n = 0; !this.isOver; n += 1) {
        if (!(await this.task(api(), `${lanes}-${lane}`, n))) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    return {
      end: async () => {
        this.isOver = true;
        await Promise.all(ended);
      },
    };
  }

  async hasAccepted(count: number): Promise<void> {
    await eventually(
      () => this.accepted.length,
      (accepted) => accepted >= count,
    );
  }

  done(): Promise<Task[]> {
    return this.database.rows<Task>('select lane, n from done_task order by at');
  }

  /** Waits until no job is left. */
  async drained(patienceMs: number): Promise<void> {
    const alive = () =>
      this.database.rows(
        `select lane, state, attempt from job where name = 'test.task' and state in ('queued', 'running', 'suspended')
         order by lane, seq limit 5`,
      );
    await eventually(alive, (rows) => rows.length === 0, patienceMs);
  }

  /** Ends the leases of all running jobs. Only a test that has stopped every worker may call this. */
  async leasesRunOut(): Promise<void> {
    await this.database.rows(`update job set lease_until = now() where state = 'running'`);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.processes].map((process) => process.kill()));
    await this.database.end();
  }
}

/**
 * Makes sure that every accepted task was done once, in its lane's order, and that two of a lane never ran at once.
 */
export async function expectEveryTaskOnce(service: TaskService): Promise<void> {
  const done = await service.done();
  const key = ({ lane, n }: Task) => `${lane} ${n}`;
  const keys = done.map(key);
  expect(keys.filter((one, at) => keys.indexOf(one) !== at)).toEqual([]);
  const known = new Set(keys);
  expect(service.accepted.map(key).filter((one) => !known.has(one))).toEqual([]);
  const byLane = Map.groupBy(done, ({ lane }) => lane);
  for (const tasks of byLane.values()) {
    const order = tasks.map(({ n }) => n);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  expect(await service.database.rows('select distinct lane from overlap limit 3')).toEqual([]);
}

/** Returns numbers from 0 to 1, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
