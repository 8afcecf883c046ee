import { agentAssistErrors } from './agent-assist.errors.js';
import type { ConversationEventRow, EventKind } from './conversation-event.entity.js';
import {
  type ConversationState,
  MOST_ACTIVE,
  takeEnd,
  takeEntry,
  takeExit,
  takeMessage,
  type Taken,
  takeSummary,
  type TransferType,
} from './conversation-state.js';
import {
  type EndEvent,
  type HookCall,
  type HookEvent,
  type HookMessage,
  messageIn,
  type SummaryEvent,
  type TransferEvent,
} from './hooks.schema.js';
import type { SummaryRow } from './summary.entity.js';
import { type Violation, VIOLATIONS } from './violations.js';

/** A row of the timeline, but for what all rows of a call have in common. */
export type NewEvent = Omit<ConversationEventRow, 'botId' | 'conversationId' | 'at' | 'proposal'>;

export type NewSummary = Pick<SummaryRow, 'seq' | 'language' | 'locale' | 'type'>;

/** When a call comes, and to what. */
interface Circumstances {
  at: Date;
  lastSeq: number;
  isStrict: boolean;
}

/** What one call does to a conversation: rows that are new, and what it changes of those there are. */
export class NewEvents {
  readonly rows: NewEvent[] = [];
  readonly summaries: NewSummary[] = [];
  /** Of older rows, by their numbers. */
  readonly repeated: number[] = [];
  readonly left: number[] = [];
  repeats = 0;
  private readonly envelope: string;

  constructor(
    private readonly state: ConversationState,
    call: HookCall,
    private readonly circumstances: Circumstances,
  ) {
    const { events = [], ...rest } = call;
    this.envelope = JSON.stringify(rest);
    const message = messageIn(call);
    if (message) this.say(message);
    events.forEach((event, at) => this.happen(event, `events.${at}`));
  }

  get lastSeq(): number {
    return this.rows.at(-1)?.seq ?? this.circumstances.lastSeq;
  }

  get violations(): number {
    return this.rows.filter(({ violations }) => violations.length > 0).length;
  }

  /** Messages of users that a model may see, and that came in time: whoever assists may answer them. */
  get toAnswer(): number[] {
    const wanted = this.rows.filter(({ author, isSent, violations }) => {
      return author === 'USER' && isSent && violations.length === 0;
    });
    return wanted.map(({ seq }) => seq);
  }

  private say(message: HookMessage): void {
    const { type: author } = message.author;
    const row = {
      ...blank('message', '{}'),
      agentIdentity: message.agentId,
      author,
      said: message.query,
      isSent: author === 'USER' ? message.sendUserMessage : message.sendAgentMessage,
      language: message.language,
    };
    this.keep('query', row, takeMessage(this.state));
  }

  private happen(event: HookEvent, path: string): void {
    switch (event.name) {
      case 'INTERNAL_TRANSFER_EVENT':
        return this.transfer(event, path);
      case 'TRIGGER_SUMMARY_EVENT':
        return this.askForSummary(event, path);
      case 'END_OF_CONVERSATION':
        return this.end(event, path);
    }
  }

  private transfer(event: TransferEvent, path: string): void {
    const { identity, name } = event.participant;
    const type = event.transfertype.toUpperCase() as TransferType;
    const agent = { identity, name, type, since: this.circumstances.at.toISOString(), seq: this.nextSeq };
    const taken = event.transition === 'entry' ? takeEntry(this.state, agent) : takeExit(this.state, agent);
    if (this.state.active.length > MOST_ACTIVE) throw agentAssistErrors.tooManyAgents({ most: MOST_ACTIVE });
    const isPresent = this.state.active.some((other) => other.identity === identity);
    const row = {
      ...blank(event.transition, JSON.stringify(event)),
      language: event.language ?? null,
      // Who comes after the end is gone at once.
      leftAt: event.transition === 'entry' && !isPresent ? this.circumstances.at : null,
    };
    this.keep(path, { ...row, agentIdentity: identity, agentName: name, transferType: type }, taken);
  }

  private askForSummary(event: SummaryEvent, path: string): void {
    const { language, locale, type } = event.data;
    const seq = this.nextSeq;
    const taken = takeSummary(this.state, [language, locale, type], seq);
    if ('violations' in taken) this.summaries.push({ seq, language, locale, type });
    this.keep(path, { ...blank('summary', JSON.stringify(event)), language }, taken);
  }

  private end(event: EndEvent, path: string): void {
    const { identity: agentIdentity, name: agentName } = event.participant;
    const row = { ...blank('end', JSON.stringify(event)), agentIdentity, agentName, language: event.language };
    this.keep(path, row, takeEnd(this.state, this.nextSeq));
  }

  private keep(path: string, row: Omit<NewEvent, 'seq'>, taken: Taken): void {
    const seq = this.nextSeq;
    if ('repeats' in taken) {
      this.repeats += 1;
      if (taken.repeats !== seq) return this.countRepeat(taken.repeats);
      row.repeats = 1;
    } else {
      this.refuseWhereStrict(path, taken.violations);
      row.violations = taken.violations;
      for (const agent of taken.closes) this.close(agent.seq);
    }
    if (row.kind !== 'message' && row.kind !== 'summary')
      row.active = this.state.active.map(({ identity }) => identity);
    // What stood beside the events is kept once a call.
    const call = this.rows.length === 0 ? this.envelope : null;
    this.rows.push({ ...row, seq, call });
  }

  private countRepeat(seq: number): void {
    const ofThisCall = this.rows.find((row) => row.seq === seq);
    if (ofThisCall) ofThisCall.repeats += 1;
    else this.repeated.push(seq);
  }

  private close(seq: number): void {
    const ofThisCall = this.rows.find((row) => row.seq === seq);
    if (ofThisCall) ofThisCall.leftAt = this.circumstances.at;
    else this.left.push(seq);
  }

  private refuseWhereStrict(what: string, [violation]: readonly Violation[]): void {
    if (!this.circumstances.isStrict || !violation) return;
    throw agentAssistErrors.outOfOrder({ what, reason: VIOLATIONS[violation] });
  }

  private get nextSeq(): number {
    return this.lastSeq + 1;
  }
}

function blank(kind: EventKind, payload: string): Omit<NewEvent, 'seq'> {
  return {
    kind,
    agentIdentity: null,
    agentName: null,
    transferType: null,
    author: null,
    said: null,
    isSent: null,
    language: null,
    active: [],
    leftAt: null,
    violations: [],
    repeats: 0,
    payload,
    call: null,
  };
}
