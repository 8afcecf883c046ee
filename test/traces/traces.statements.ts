import { newId } from '../../src/kernel/ids.js';
import { ObservationRepository } from '../../src/modules/traces/observation.repository.js';
import type { Observed } from '../../src/modules/traces/observed.js';
import { TraceRepository } from '../../src/modules/traces/trace.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, traceId] = [newId('project'), newId('trace')];
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
  })),
  ...examplesOf(TraceRepository, (traces) => ({
    record: traces.record(projectId, newId('app'), [observed]),
    countOfSession: traces.countOfSession(projectId, 'session'),
    ofSession: traces.ofSession(projectId, 'session', 0, 20),
    deleteOfSession: traces.deleteOfSession(projectId, 'session'),
  })),
};
