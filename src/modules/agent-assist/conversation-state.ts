import type { Violation } from './violations.js';

/**
 * A conversation is `waiting` before its first agent enters, `transferring` between two agents, and `left` after the last
 * one has left. The status `ended` is final.
 */
export const CONVERSATION_STATUSES = ['waiting', 'active', 'transferring', 'left', 'ended'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const TRANSFER_TYPES = ['NA', 'COLD', 'WARM', 'REDIAL'] as const;
export type TransferType = (typeof TRANSFER_TYPES)[number];

/** An agent who takes part, and the number of the event with which the agent entered. */
export interface ActiveAgent {
  identity: string;
  name: string;
  type: TransferType;
  since: string;
  seq: number;
}

/** An earlier event, kept to recognize a repeat of it. */
interface PastEvent {
  key: string;
  seq: number;
  /** Whether it was an exit for a cold transfer. */
  isCold?: boolean;
}

/** The state of a conversation, stored as JSON in its row, so that the cost of an event does not grow with their number. */
export interface ConversationState {
  status: ConversationStatus;
  active: ActiveAgent[];
  /** The agents who have left, by their identity. A second exit of an agent is a repeat of the first one. */
  departed: PastEvent[];
  /** The requests for a summary since the last message, entry or exit. An equal request is a repeat. */
  asked: PastEvent[];
  /** The entries that came after the end. */
  late: PastEvent[];
  endSeq: number | null;
}

/** The effect of an event. A repeat changes nothing, and is counted in the row of the event that it repeats. */
export type Effect = { repeats: number } | { violations: Violation[]; closes: ActiveAgent[] };

/** More agents than any conversation has, and few enough that the row stays small. */
export const MAX_ACTIVE = 100;
const MAX_PAST_EVENTS = 100;

export function newState(): ConversationState {
  return { status: 'waiting', active: [], departed: [], asked: [], late: [], endSeq: null };
}

export function applyMessage(state: ConversationState): Effect {
  if (state.status === 'ended') return accepted('AFTER_END');
  state.asked = [];
  return accepted();
}

export function applyEntry(state: ConversationState, agent: ActiveAgent): Effect {
  const { identity, type, seq } = agent;
  const present = state.active.find((other) => other.identity === identity);
  if (present) return { repeats: present.seq };
  if (state.status === 'ended') return applyLateEntry(state, JSON.stringify(['entry', type, identity]), seq);
  const violation = violationOfEntry(state, type);
  state.active.push(agent);
  state.departed = state.departed.filter(({ key }) => key !== identity);
  state.asked = [];
  state.status = 'active';
  return violation ? accepted(violation) : accepted();
}

function violationOfEntry({ status, active }: ConversationState, type: TransferType): Violation | undefined {
  const isAlone = active.length === 0;
  switch (type) {
    case 'NA':
      if (!isAlone) return 'FIRST_ENTRY_WHILE_ACTIVE';
      if (status === 'transferring') return 'ENTRY_NOT_COLD';
      return status === 'left' ? 'ENTRY_AFTER_LAST_EXIT' : undefined;
    case 'COLD':
      if (!isAlone) return 'COLD_ENTRY_WHILE_ACTIVE';
      if (status === 'waiting') return 'NO_FIRST_ENTRY';
      return status === 'left' ? 'ENTRY_AFTER_LAST_EXIT' : undefined;
    case 'WARM':
      if (status === 'waiting') return 'NO_FIRST_ENTRY';
      return isAlone ? 'WARM_ENTRY_WITHOUT_AGENT' : undefined;
    case 'REDIAL':
      return isAlone ? undefined : 'REDIAL_WHILE_ACTIVE';
  }
}

export function applyExit(
  state: ConversationState,
  { identity, type, seq }: Pick<ActiveAgent, 'identity' | 'type' | 'seq'>,
): Effect {
  const agent = state.active.find((other) => other.identity === identity);
  if (!agent) return applyExitOfAbsent(state, identity, type, seq);
  const others = state.active.filter((other) => other !== agent);
  const violation = violationOfExit(agent, type, others.length);
  state.active = others;
  state.departed = withEvent(state.departed, { key: identity, seq, isCold: type === 'COLD' });
  state.asked = [];
  state.status = others.length > 0 ? 'active' : type === 'COLD' ? 'transferring' : 'left';
  return { violations: violation ? [violation] : [], closes: [agent] };
}

/**
 * An exit of an agent who is not active is a repeat, with one exception: after an exit for a cold transfer that no other
 * agent accepted, an exit with `NA` ends the transfer.
 */
function applyExitOfAbsent(state: ConversationState, identity: string, type: TransferType, seq: number): Effect {
  const earlierExit = state.departed.find(({ key }) => key === identity);
  const endsTransfer = earlierExit?.isCold && type === 'NA' && state.status === 'transferring';
  if (earlierExit && !endsTransfer) return { repeats: earlierExit.seq };
  if (endsTransfer) state.status = 'left';
  state.departed = withEvent(state.departed, { key: identity, seq });
  // For an agent who never entered there is no event to repeat, so the exit gets a row and counts as its own repeat.
  return earlierExit ? accepted() : { repeats: seq };
}

function violationOfExit(agent: ActiveAgent, type: TransferType, others: number): Violation | undefined {
  if (type === 'REDIAL') return 'REDIAL_EXIT';
  if (type === 'WARM') return agent.type === 'WARM' ? undefined : 'WARM_EXIT_OF_NO_CONSULTANT';
  if (agent.type === 'WARM') return 'EXIT_NOT_WARM';
  return others > 0 ? 'EXIT_WHILE_OTHERS_ACTIVE' : undefined;
}

export function applySummaryRequest(state: ConversationState, data: readonly string[], seq: number): Effect {
  const key = JSON.stringify(data);
  const earlier = state.asked.find((other) => other.key === key);
  if (earlier) return { repeats: earlier.seq };
  state.asked = withEvent(state.asked, { key, seq });
  if (state.status === 'ended') return accepted('AFTER_END');
  return state.status === 'left' ? accepted() : accepted('SUMMARY_BEFORE_LAST_EXIT');
}

/** The end of a conversation is also the exit of all agents who are still active. */
export function applyEnd(state: ConversationState, seq: number): Effect {
  if (state.endSeq !== null) return { repeats: state.endSeq };
  const violations: Violation[] = state.status === 'left' ? [] : ['END_BEFORE_LAST_EXIT'];
  const closes = state.active;
  for (const { identity } of closes) state.departed = withEvent(state.departed, { key: identity, seq });
  state.active = [];
  state.status = 'ended';
  state.endSeq = seq;
  return { violations, closes };
}

function applyLateEntry(state: ConversationState, key: string, seq: number): Effect {
  const earlier = state.late.find((other) => other.key === key);
  if (earlier) return { repeats: earlier.seq };
  state.late = withEvent(state.late, { key, seq });
  return accepted('AFTER_END');
}

function accepted(...violations: Violation[]): Effect {
  return { violations, closes: [] };
}

function withEvent(events: readonly PastEvent[], event: PastEvent): PastEvent[] {
  return [...events.filter(({ key }) => key !== event.key), event].slice(-MAX_PAST_EVENTS);
}
