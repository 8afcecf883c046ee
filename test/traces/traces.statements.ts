import { newId } from '../../src/kernel/ids.js';
import { ObservationRepository } from '../../src/modules/traces/observation.repository.js';
import type { Observed } from '../../src/modules/traces/observed.js';
import { TraceRepository } from '../../src/modules/traces/trace.repository.js';
import type { TracesWanted } from '../../src/modules/traces/trace-search.statements.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, traceId] = [newId('project'), newId('trace')];
const wanted: TracesWanted = {
  projectId,
  appId: newId('app'),
  from: new Date('2026-01-01T00:00:00Z'),
  to: new Date('2026-01-02T00:00:00Z'),
  sessionId: null,
  name: null,
  status: null,
  spanId: null,
  after: null,
  limit: 20,
};
const byAll = { ...wanted, sessionId: 'session', name: 'name', status: 'failed', spanId: 'span' };
const observed: Observed = {
  id: newId('observation'),
  traceId,
  parentId: null,
  sessionId: 'session',
  name: 'name',
  startedAt: '2026-01-01T00:00:00Z',
  endedAt: '2026-01-01T00:00:01Z',
  status: 'success',
  statusMessage: '',
  input: null,
  output: null,
  attributes: '{}',
  generation: null,
};

export const examples: Examples = {
  ...examplesOf(ObservationRepository, (observations) => ({
    'ofTraces (with texts)': observations.ofTraces(projectId, [traceId], 100, 'with texts'),
    'ofTraces (without texts)': observations.ofTraces(projectId, [traceId], 100, 'without texts'),
    'ofTrace (with texts)': observations.ofTrace(projectId, traceId, 100, 1_000, 'with texts'),
    'ofTrace (without texts)': observations.ofTrace(projectId, traceId, 100, 1_000, 'without texts'),
    failedCalls: observations.failedCalls(projectId, new Date('2026-01-01T00:00:00Z')),
  })),
  ...examplesOf(TraceRepository, (traces) => ({
    record: traces.record(projectId, newId('app'), [observed]),
    countOfSession: traces.countOfSession(projectId, 'session'),
    ofSession: traces.ofSession(projectId, 'session', 0, 20),
    one: traces.one(projectId, newId('app'), traceId),
    'search (a day)': traces.search(wanted),
    'search (a day, all filters, a later page)': traces.search({ ...byAll, after: { startedAt: 1, id: traceId } }),
    deleteOfSession: traces.deleteOfSession(projectId, 'session'),
  })),
};
