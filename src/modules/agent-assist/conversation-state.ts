import type { Violation } from './violations.js';

/** `waiting` for the first agent, `transferring` between two, `left` after the last one; `ended` stays. */
export const CONVERSATION_STATUSES = ['waiting', 'active', 'transferring', 'left', 'ended'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const TRANSFER_TYPES = ['NA', 'COLD', 'WARM', 'REDIAL'] as const;
export type TransferType = (typeof TRANSFER_TYPES)[number];

/** Somebody who takes part, since the event of this number. */
export interface ActiveAgent {
  identity: string;
  name: string;
  type: TransferType;
  since: string;
  seq: number;
}

interface Remembered {
  key: string;
  seq: number;
  /** Left for a cold transfer. */
  isCold?: boolean;
}

/** What a conversation has come to: kept as JSON in its row, so that an event costs the same however many there were. */
export interface ConversationState {
  status: ConversationStatus;
  active: ActiveAgent[];
  /** Who left, by identity and the number of the exit: another exit of theirs is a repeat of it. */
  departed: Remembered[];
  /** Summaries asked for since anything was said or anybody came or went: the same again is a repeat. */
  asked: Remembered[];
  /** What came after the end. */
  late: Remembered[];
  endSeq: number | null;
}

/** What an event comes to. A repeat leaves everything as it is, and is counted on the event that it repeats. */
export type Taken = { repeats: number } | { violations: Violation[]; closes: ActiveAgent[] };

/** More people than any call has, and few enough that the row stays small. */
export const MOST_ACTIVE = 100;
const MOST_REMEMBERED = 100;

export function newState(): ConversationState {
  return { status: 'waiting', active: [], departed: [], asked: [], late: [], endSeq: null };
}

export function takeMessage(state: ConversationState): Taken {
  if (state.status === 'ended') return kept('AFTER_END');
  state.asked = [];
  return kept();
}

export function takeEntry(state: ConversationState, agent: ActiveAgent): Taken {
  const { identity, type, seq } = agent;
  const present = state.active.find((other) => other.identity === identity);
  if (present) return { repeats: present.seq };
  if (state.status === 'ended') return takeLate(state, JSON.stringify(['entry', type, identity]), seq);
  const violation = faultOfEntry(state, type);
  state.active.push(agent);
  state.departed = state.departed.filter(({ key }) => key !== identity);
  state.asked = [];
  state.status = 'active';
  return violation ? kept(violation) : kept();
}

function faultOfEntry({ status, active }: ConversationState, type: TransferType): Violation | undefined {
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

export function takeExit(
  state: ConversationState,
  { identity, type, seq }: Pick<ActiveAgent, 'identity' | 'type' | 'seq'>,
): Taken {
  const agent = state.active.find((other) => other.identity === identity);
  if (!agent) return takeExitOfAbsent(state, identity, type, seq);
  const others = state.active.filter((other) => other !== agent);
  const violation = faultOfExit(agent, type, others.length);
  state.active = others;
  state.departed = remember(state.departed, { key: identity, seq, isCold: type === 'COLD' });
  state.asked = [];
  state.status = others.length > 0 ? 'active' : type === 'COLD' ? 'transferring' : 'left';
  return { violations: violation ? [violation] : [], closes: [agent] };
}

/** It leaves nobody: a repeat, unless whoever left for a transfer that nobody took says that this was the end of it. */
function takeExitOfAbsent(state: ConversationState, identity: string, type: TransferType, seq: number): Taken {
  const before = state.departed.find(({ key }) => key === identity);
  const isGivenUp = before?.isCold && type === 'NA' && state.status === 'transferring';
  if (before && !isGivenUp) return { repeats: before.seq };
  if (isGivenUp) state.status = 'left';
  state.departed = remember(state.departed, { key: identity, seq });
  // Of one who was never seen nothing is kept that this could repeat: it is kept itself, and is its own repeat.
  return before ? kept() : { repeats: seq };
}

function faultOfExit(agent: ActiveAgent, type: TransferType, others: number): Violation | undefined {
  if (type === 'REDIAL') return 'REDIAL_EXIT';
  if (type === 'WARM') return agent.type === 'WARM' ? undefined : 'WARM_EXIT_OF_NO_CONSULTANT';
  if (agent.type === 'WARM') return 'EXIT_NOT_WARM';
  return others > 0 ? 'EXIT_WHILE_OTHERS_ACTIVE' : undefined;
}

export function takeSummary(state: ConversationState, data: readonly string[], seq: number): Taken {
  const key = JSON.stringify(data);
  const before = state.asked.find((other) => other.key === key);
  if (before) return { repeats: before.seq };
  state.asked = remember(state.asked, { key, seq });
  if (state.status === 'ended') return kept('AFTER_END');
  return state.status === 'left' ? kept() : kept('SUMMARY_BEFORE_LAST_EXIT');
}

/** Whoever was still there is there no more. */
export function takeEnd(state: ConversationState, seq: number): Taken {
  if (state.endSeq !== null) return { repeats: state.endSeq };
  const violations: Violation[] = state.status === 'left' ? [] : ['END_BEFORE_LAST_EXIT'];
  const closes = state.active;
  for (const { identity } of closes) state.departed = remember(state.departed, { key: identity, seq });
  state.active = [];
  state.status = 'ended';
  state.endSeq = seq;
  return { violations, closes };
}

function takeLate(state: ConversationState, key: string, seq: number): Taken {
  const before = state.late.find((other) => other.key === key);
  if (before) return { repeats: before.seq };
  state.late = remember(state.late, { key, seq });
  return kept('AFTER_END');
}

function kept(...violations: Violation[]): Taken {
  return { violations, closes: [] };
}

function remember(known: readonly Remembered[], one: Remembered): Remembered[] {
  return [...known.filter(({ key }) => key !== one.key), one].slice(-MOST_REMEMBERED);
}
