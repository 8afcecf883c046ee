import { Inject, Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { Statements } from '../database/statements.js';
import type { JobDefinition } from './job-definition.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

/** What workers put right once a second, whoever left it behind. */
@Injectable()
export class RecoveryStore {
  constructor(@Inject(WORKER_STATEMENTS) private readonly statements: Statements) {}

  /** Jobs whose process gave no sign of life for a lease, and suspensions that have lasted long enough, wait again. */
  async takeBack(): Promise<void> {
    await this.statements.run(
      `update job set state = 'queued', run_at = least(run_at, now()) where id in (
         select id from job where state = 'running' and lease_until < now() for update skip locked)`,
    );
    await this.statements.run(
      `update job set state = 'queued' where id in (
         select id from job where state = 'suspended' and run_at <= now() for update skip locked)`,
    );
  }

  /** Recurring jobs have their row, and its rhythm is what the definition says. */
  async keepRecurring(definitions: readonly JobDefinition[]): Promise<void> {
    for (const { name, data, every } of definitions) {
      if (every === null) continue;
      await this.statements.run(
        `insert into job (id, name, lane, place, data, state, every, run_at, created_at)
         select $1, $2, $1, 1, $3, 'queued', $4, now(), now()
         where not exists (select from job where name = $2 and every = $4)
         on conflict (name) where every is not null do update set every = excluded.every,
           run_at = least(job.run_at, now() + make_interval(secs => excluded.every))`,
        [newId('job'), name, JSON.stringify(data.parse({})), every],
      );
    }
  }
}
