import { MikroORM } from '@mikro-orm/postgresql';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { pendingMigrations } from './plugin-migrations.js';

@ChecksReadiness({ name: 'migrations', failure: 'cannot be read' })
export class MigrationsCheck extends ReadinessCheck {
  constructor(private readonly orm: MikroORM) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    const { length } = await pendingMigrations(this.orm);
    return length === 0 ? { status: 'up' } : { status: 'down', message: `${length} not applied` };
  }
}
