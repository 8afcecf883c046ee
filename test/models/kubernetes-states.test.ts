import { stateOf } from '../../src/modules/models/hosts/kubernetes/service-state.js';
import { statusEnum, statusFaults } from '../support/kubernetes/kserve-schema.js';
import { blocked, invalid, onItsWay, ready, revisionFailed, stopped } from '../support/kubernetes/statuses.js';

const ADDRESS = 'http://model.example.com';
/** A condition of Knative that is not decided yet. The replicas of an earlier revision may still answer. */
const UNDECIDED = { type: 'Ready', status: 'Unknown', reason: 'RevisionMissing', message: 'Configuration is waiting.' };

/** Returns what the host makes of a status that the schema of KServe allows. */
function of(status: object) {
  expect(statusFaults(status)).toEqual([]);
  return stateOf({ apiVersion: '', kind: '', metadata: { name: 'a-model' }, spec: {}, status }, 'token', false);
}

const conditionsOf = ({ conditions }: { conditions: object[] }) => conditions;

// Each table has exactly the values of the schema, so that a new one has to be decided about.

it('knows what each transition status means', () => {
  const meant: Record<string, object> = {
    '': { is: 'pending' },
    UpToDate: { is: 'pending' },
    InProgress: { is: 'pending' },
    BlockedByFailedLoad: { is: 'failed', code: 'REPLICA_DIED' },
    InvalidSpec: { is: 'failed', code: 'NO_MODEL_HOST' },
  };
  expect(statusEnum('modelStatus', 'transitionStatus')).toEqual(Object.keys(meant));
  for (const [transitionStatus, state] of Object.entries(meant)) {
    const { conditions, modelStatus } = onItsWay('Loading');
    expect(of({ conditions, modelStatus: { ...modelStatus, transitionStatus } })).toMatchObject(state);
  }
});

it('knows how far the start of each state of a model is', () => {
  // KServe blocks the transition when it does not load the model again. Before that, it may still come.
  const meant = { '': 10, Pending: 10, Standby: 30, Loading: 60, Loaded: 90, FailedToLoad: 10 };
  for (const member of ['activeModelState', 'targetModelState'])
    expect(statusEnum('modelStatus', 'states', member)).toEqual(Object.keys(meant));
  for (const [state, percentage] of Object.entries(meant))
    expect(of(onItsWay(state))).toMatchObject({ is: 'pending', percentage });
});

it('passes on the reason and the words of each failure', () => {
  const reasons = statusEnum('modelStatus', 'lastFailureInfo', 'reason');
  expect(reasons).toHaveLength(6);
  for (const reason of reasons) {
    const [refused, died] = [of(invalid(reason, 'Words.')), of(blocked({ reason, message: 'Words.', exitCode: 1 }))];
    const words = `${reason}: Words.`;
    expect(refused).toMatchObject({ code: 'NO_MODEL_HOST', message: expect.stringContaining(words) as string });
    expect(died).toMatchObject({ code: 'REPLICA_DIED', message: expect.stringContaining(words) as string });
  }
});

it('waits without withdrawing what answers while a condition is not decided', () => {
  expect(of({ conditions: [UNDECIDED] })).toEqual({ is: 'pending', percentage: 10 });
  expect(of({ conditions: [UNDECIDED], modelStatus: onItsWay('Loading').modelStatus })).toEqual({
    is: 'pending',
    percentage: 60,
  });
});

it('lets a service that is ready answer, whatever became of the last change of its model', () => {
  const last = [blocked({ exitCode: 1 }), invalid('InvalidPredictorSpec', 'No.'), onItsWay('FailedToLoad')];
  for (const { modelStatus } of last)
    expect(of({ ...ready(ADDRESS), modelStatus })).toEqual({ is: 'ready', address: ADDRESS, token: 'token' });
});

it('says why a service that was ready is not', () => {
  expect(of({ ...ready(ADDRESS), conditions: conditionsOf(revisionFailed('No image')) })).toMatchObject({
    is: 'failed',
    message: expect.stringContaining('No image') as string,
  });
  expect(of(stopped)).toMatchObject({ is: 'pending', down: 'The InferenceService was stopped.' });
  expect(of({ ...stopped, modelStatus: onItsWay('Loading').modelStatus })).toMatchObject({
    down: 'The InferenceService was stopped.',
  });
});
