import { newId } from '../../src/kernel/ids.js';
import { SealedRows } from '../../src/platform/crypto/sealed-rows.js';
import type { Database } from '../../src/platform/database/database.js';
import * as positions from '../../src/platform/database/replica/positions.statements.js';
import type { Statements } from '../../src/platform/database/statements.js';
import { IdempotencyKeyRepository } from '../../src/platform/idempotency/idempotency-key.repository.js';
import { ServiceProcess } from '../../src/platform/processes/service-process.entity.js';
import { ServiceProcessRepository } from '../../src/platform/processes/service-process.repository.js';
import { oldRows } from '../../src/platform/retention/old-rows.js';
import { ProjectRetention } from '../../src/platform/retention/project-retention.entity.js';
import { ProjectRetentionRepository } from '../../src/platform/retention/project-retention.repository.js';
import { sql } from '../../src/platform/database/sql.js';
import * as unkept from '../../src/platform/storage/unkept-objects.statements.js';
import { asked, exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, object, now] = [newId('project'), newId('storedObject'), new Date()];
const claim = { id: 'key', attempt: 1 };
const sealed = { table: 'connection', column: 'secrets_sealed', id: 'id' };

// These callers send nothing else and need no rows, so the statements are rendered without their tables and columns.
const [older, replaced] = await asked(async (ask) => {
  const rows = new SealedRows({ ask } as unknown as Database);
  await rows.batch(sealed, '', 2, 100);
  await rows.replace(sealed, { id: 'id', sealed: 'before' }, 'after');
});
const [removed] = await removals({ table: 'run', time: 'finished_at', where: 'finished_at is not null' });
const [oldest, removedOfProject, removedOfNone] = await removals(
  { table: 'audit_entry', time: 'at', project: 'project_id' },
  [
    { project: projectId, oldest: new Date(0) },
    { project: null, oldest: new Date(0) },
  ],
);

export const examples: Examples = {
  positionOfPrimary: positions.positionOfPrimary(),
  replicaAt: positions.replicaAt('0/1'),
  secondsBehind: positions.secondsBehind('0/1'),
  ...examplesOf(IdempotencyKeyRepository, (keys) => ({
    claim: keys.claim('key', 'fingerprint', new Date()),
    releaseClaimedAt: keys.releaseClaimedAt('key', new Date()),
    read: keys.read('key'),
    keep: keys.keep(claim, 'sealed'),
    keepFirst: keys.keepFirst(claim, 'sealed'),
    release: keys.release(claim),
  })),
  ...examplesOf(ProjectRetentionRepository, (retentions) => ({
    ofProject: retentions.ofProject(projectId),
    named: retentions.named('name'),
    keep: retentions.keep(exampleRow(ProjectRetention)),
    forget: retentions.forget(projectId, 'name'),
  })),
  ...examplesOf(ServiceProcessRepository, (processes) => ({
    beat: processes.beat(exampleRow(ServiceProcess)),
    delete: processes.delete('process'),
    all: processes.all(),
  })),
  'SealedRows.batch': older!,
  'SealedRows.replace': replaced!,
  'oldRows (one period for all)': removed!,
  'oldRows (the oldest of each project)': oldest!,
  'oldRows (of a project)': removedOfProject!,
  'oldRows (of no project)': removedOfNone!,
  announce: unkept.announce(object),
  keep: unkept.keep(object),
  release: unkept.release([object]),
  releaseSelected: unkept.releaseSelected(sql`select name from gone`),
  doom: unkept.doom(object),
  doomDue: unkept.doomDue(),
  forget: unkept.forget([object]),
};

function removals(of: Parameters<typeof oldRows>[0], ...answers: object[][]) {
  const cutoffs = { general: now, ofProjects: new Map([[projectId, now]]) };
  return asked(
    async (ask) => {
      const statements = { ask } as unknown as Statements;
      await oldRows(of).run({ statements, cutoffs, hasTime: () => true });
    },
    ...answers,
  );
}
