import { createDatabase } from './database.js';
import { type ServiceProcess, startProcess } from './process.js';
import { settingsFor, type SettingsOfTest } from './settings.js';
import { TestDatabase } from './test-database.js';

/** Two processes of one service, as behind a load balancer. */
export interface Pair {
  readonly a: ServiceProcess;
  readonly b: ServiceProcess;
  readonly database: TestDatabase;
  /** Starts a further process of the same service, which is stopped with the others. */
  another(changes?: SettingsOfTest): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

export async function startPair(changes: SettingsOfTest = {}): Promise<Pair> {
  const settings = { ...settingsFor(await createDatabase()), ...changes };
  const database = new TestDatabase(settings.DATABASE_URL!);
  const [a, b] = await Promise.all([startProcess(settings), startProcess(settings)]);
  const all = [a, b];
  return {
    a,
    b,
    database,
    async another(more = {}) {
      const one = await startProcess({ ...settings, ...more });
      all.push(one);
      return one;
    },
    async stop() {
      await Promise.all([...all.map((process) => process.kill()), database.end()]);
    },
  };
}
