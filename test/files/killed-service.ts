import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { Store } from './store.js';

/** A service that a test kills and starts again, with the same database, the same store and the same address. */
export class KilledService {
  private process: ServiceProcess | undefined;

  private constructor(
    private readonly settings: SettingsOfTest,
    private readonly database: TestDatabase,
    private readonly store: Store,
  ) {}

  static async make(): Promise<KilledService> {
    const settings = settingsFor(await createDatabase());
    const database = new TestDatabase(settings.DATABASE_URL!);
    return new KilledService(settings, database, new Store(settings, database));
  }

  /** Starts the service unless it runs. */
  async running(): Promise<ServiceProcess> {
    return (this.process ??= await startProcess(this.settings));
  }

  async kill(): Promise<void> {
    if (!this.process) return;
    this.settings.PORT = new URL(this.process.url).port;
    await this.process.kill();
    this.process = undefined;
  }

  /** Makes all unkept objects due, and waits until the store has nothing but files. */
  async untilSwept(): Promise<void> {
    await eventually(async () => {
      await this.database.rows('update unkept_object set due_at = now()');
      await this.database.rows(`update job set run_at = now() where name = 'storage.sweep' and state = 'queued'`);
      return (await this.store.unkept()).length === 0;
    });
    await this.store.untilNothingIsLeft();
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.database.end();
  }
}
