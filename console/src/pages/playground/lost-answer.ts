import { ApiError } from '../../api/client.js';
import type { SessionOfTurns, Turn } from '../sessions/requests.js';

/** A message whose answer was lost on the way, and the ids of the turns before it. */
export interface LostAnswer {
  input: string;
  earlier: ReadonlySet<string>;
}

export const idsOf = ({ turns }: SessionOfTurns): ReadonlySet<string> => new Set(turns.map((turn) => turn.trace_id));

/** Notes a message whose outcome is not known. It can be found later only if the turns before it were known. */
export function lostAnswerTo(input: string, refusal: unknown, earlier: ReadonlySet<string> | null): LostAnswer | null {
  return refusal instanceof ApiError && refusal.isOpen && earlier ? { input, earlier } : null;
}

/** Whether the session has the answer. A turn that was cancelled when its stream broke off has none. */
export function isAnswered({ turns }: SessionOfTurns, { input, earlier }: LostAnswer): boolean {
  return turns.some((turn) => !earlier.has(turn.trace_id) && turn.input === input && hasSucceeded(turn));
}

function hasSucceeded({ observations }: Turn): boolean {
  return observations.some((step) => step.parent_observation_id === null && step.status === 'success');
}
