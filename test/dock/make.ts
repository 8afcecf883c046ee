import { type Id, newId } from '../../src/kernel/ids.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import type { DockJob } from '../../src/modules/dock/dock-job.entity.js';
import type { DockAction } from '../../src/modules/dock/dock.port.js';
import { Dock } from '../../src/modules/dock/dock.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Slots } from '../../src/platform/queue/slots.js';
import type { World } from '../support/samples.js';
import type { Service } from '../support/service.js';
import { type DockBody, ended, importedTool, TOOLS } from '../tools/make.js';

/** Starts a dock job that no process claims for an hour. */
export async function aWaitingJob({ service, tenant }: World, action: DockAction = 'IMPORT'): Promise<DockJob> {
  const database = service.app.get(Database);
  const members = {
    projectId: tenant.projectId as Id<'project'>,
    jobType: 'TOOLS' as const,
    action,
    targetId: newId('tool'),
    data:
      action === 'EXPORT'
        ? { versionId: newId('toolVersion'), callflowId: 'main' }
        : { toolDataFileId: 'f', flowDataFileId: 'f', envVariablesFileId: null, toolName: null },
  };
  return withoutSlots(service, () =>
    database.apart(() =>
      database.transaction(SYSTEM, async (tx) => {
        const job = await service.app.get(Dock).start(tx, members);
        await tx.em.execute(`update job set run_at = now() + interval '1 hour' where id = ?`, [job.jobId]);
        return job;
      }),
    ),
  );
}

/** Adds jobs as if the process had no slot for them. Otherwise it would claim a new job in the transaction that adds it. */
async function withoutSlots<T>({ app }: Service, add: () => Promise<T>): Promise<T> {
  const slots = app.get(Slots);
  slots.reserve = () => null;
  try {
    return await add();
  } finally {
    Reflect.deleteProperty(slots, 'reserve');
  }
}

/** Exports a tool, and returns the dock job when it has ended. */
export async function anExport({ tenant }: Pick<World, 'tenant'>): Promise<DockBody> {
  const query = { flowId: 'main' };
  const toolId = await importedTool(tenant);
  const { body } = await tenant.api.post<DockBody>(`${TOOLS}/${toolId}/export`, undefined, { query });
  return ended(tenant, body);
}

export function linkOf({ response }: DockBody): URL {
  return new URL(response!.downloadUrl as string);
}
