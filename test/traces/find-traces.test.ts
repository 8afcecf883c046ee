import { MikroORM } from '@mikro-orm/postgresql';
import { Observation } from '../../src/modules/traces/observation.entity.js';
import { Trace } from '../../src/modules/traces/trace.entity.js';
import type { Id } from '../../src/kernel/ids.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aSpan, exportOf, newTraceId, sent } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

it('traces are found through the ORM, with their observations', async () => {
  const tenant = await makeTenant(service);
  const top = aSpan({ traceId: newTraceId() });
  await sent(
    tenant,
    exportOf([top, aSpan({ traceId: top.traceId, parentSpanId: top.spanId, name: 'lookup', attributes: {} })]),
  );

  const em = service.app.get(MikroORM).em.fork();
  const [trace, ...others] = await em.find(
    Trace,
    { project: tenant.projectId as Id<'project'>, sessionId: 'chat-17' },
    { populate: ['observations', 'app'] },
  );
  expect(others).toEqual([]);
  const kinds = trace!.observations.getItems().map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(['GENERATION', 'SPAN']);

  const below = await em.fork().findOneOrFail(Observation, { name: 'lookup' }, { populate: ['trace'] });
  expect(below.trace.startedAt).toEqual(trace!.startedAt);
  expect(below.cost).toBeNull();
});
