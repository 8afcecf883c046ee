import type { Schemas } from '../api/client.js';
import { formatCode } from './format.js';

/** The states that pages show. The first of them are no members of an answer that the API describes. */
type State =
  | 'alive'
  | 'dead'
  | 'down'
  | 'paused'
  | Schemas['AssistConversation' | 'AssistSummary']['status']
  | Schemas['Connection' | 'McpConnection']['status']
  | Schemas['DockJob']['status']
  | Schemas['Job']['state']
  | Schemas['LlmCall' | 'Trace']['status']
  | Schemas['Model' | 'ModelDeployment' | 'ModelReplica']['state']
  | Schemas['Ready']['status']
  | Schemas['Ready']['checks'][string]['status']
  | Schemas['SessionDetails']['sessions'][number]['status']
  | Schemas['Tool' | 'ToolRun']['status']
  | Schemas['ToolRun']['nodes'][number]['status']
  | Schemas['WebhookDelivery' | 'WebhookSubscription']['status'];

/** A state of the API that is missing here does not compile. */
const KINDS: Readonly<Record<State, 'good' | 'bad' | 'other'>> = {
  success: 'good',
  SUCCESS: 'good',
  completed: 'good',
  done: 'good',
  active: 'good',
  ACTIVE: 'good',
  ready: 'good',
  READY: 'good',
  READY_TO_DEPLOY: 'good',
  DEPLOYED: 'good',
  LIVE: 'good',
  DELIVERED: 'good',
  ok: 'good',
  up: 'good',
  alive: 'good',
  failed: 'bad',
  FAILED: 'bad',
  error: 'bad',
  DISABLED: 'bad',
  INACTIVE: 'bad',
  degraded: 'bad',
  down: 'bad',
  paused: 'bad',
  LOST: 'bad',
  dead: 'bad',
  waiting: 'other',
  pending: 'other',
  PENDING: 'other',
  IN_PROGRESS: 'other',
  running: 'other',
  suspended: 'other',
  IMPORTING: 'other',
  DEPLOYING: 'other',
  STARTING: 'other',
  started: 'other',
  idle: 'other',
  busy: 'other',
  transferring: 'other',
  left: 'other',
  ended: 'other',
  ENDED: 'other',
  terminated: 'other',
};

/** Shows the code of a state as words. Its color repeats what they say. */
export function Status({ of }: { of: State }) {
  return (
    <span className="status" data-kind={KINDS[of]}>
      {formatCode(of)}
    </span>
  );
}
