import { MikroORM } from '@mikro-orm/postgresql';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { pendingMigrations } from './plugin-migrations.js';

@ChecksReadiness({ name: 'migrations', failure: 'cannot be read' })
export class MigrationsCheck extends ReadinessCheck {
  /** Applied migrations stay applied, so a probe each second reads them once. */
  private areApplied = false;

  constructor(private readonly orm: MikroORM) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    if (this.areApplied) return { status: 'up' };
    const { length } = await pendingMigrations(this.orm);
    this.areApplied = length === 0;
    return this.areApplied ? { status: 'up' } : { status: 'down', message: `${length} not applied` };
  }
}
