import { MikroORM } from '@mikro-orm/postgresql';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';

@ChecksReadiness({ name: 'database', failure: 'does not answer' })
export class DatabaseCheck extends ReadinessCheck {
  constructor(private readonly orm: MikroORM) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    await this.orm.em.getConnection().execute('select 1');
    return { status: 'up' };
  }
}
