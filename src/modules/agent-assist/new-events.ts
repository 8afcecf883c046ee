import { agentAssistErrors } from './agent-assist.errors.js';
import type { ConversationEventRow, EventKind } from './conversation-event.entity.js';
import {
  type ConversationState,
  MAX_ACTIVE,
  applyEnd,
  applyEntry,
  applyExit,
  applyMessage,
  type Effect,
  applySummaryRequest,
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

/** A new row of the timeline, without the columns that all rows of a call have in common. */
export type NewEvent = Omit<ConversationEventRow, 'botId' | 'conversationId' | 'at' | 'proposal'>;

export type NewSummary = Pick<SummaryRow, 'seq' | 'language' | 'locale' | 'type'>;

interface CallContext {
  at: Date;
  lastSeq: number;
  isStrict: boolean;
}

/** The effects of one hook call on a conversation: its new rows, and the changes to rows of earlier calls. */
export class NewEvents {
  readonly rows: NewEvent[] = [];
  readonly summaries: NewSummary[] = [];
  /** The numbers of earlier rows that this call repeats. */
  readonly repeatedSeqs: number[] = [];
  /** The numbers of earlier entries whose agents leave with this call. */
  readonly closedSeqs: number[] = [];
  repeats = 0;
  private readonly envelope: string;

  constructor(
    private readonly state: ConversationState,
    call: HookCall,
    private readonly context: CallContext,
  ) {
    const { events = [], ...rest } = call;
    this.envelope = JSON.stringify(rest);
    const message = messageIn(call);
    if (message) this.addMessage(message);
    events.forEach((event, index) => this.addEvent(event, `events.${index}`));
  }

  get lastSeq(): number {
    return this.rows.at(-1)?.seq ?? this.context.lastSeq;
  }

  get violations(): number {
    return this.rows.filter(({ violations }) => violations.length > 0).length;
  }

  /** The messages for which a reply is proposed: those of users that may be sent to models and did not come too late. */
  get messagesToAnswer(): number[] {
    const messages = this.rows.filter(({ author, isSent, violations }) => {
      return author === 'USER' && isSent && violations.length === 0;
    });
    return messages.map(({ seq }) => seq);
  }

  private addMessage(message: HookMessage): void {
    const { type: author } = message.author;
    const row = {
      ...emptyRow('message', '{}'),
      agentIdentity: message.agentId,
      author,
      said: message.query,
      isSent: author === 'USER' ? message.sendUserMessage : message.sendAgentMessage,
      language: message.language,
    };
    this.addRow('query', row, applyMessage(this.state));
  }

  private addEvent(event: HookEvent, path: string): void {
    switch (event.name) {
      case 'INTERNAL_TRANSFER_EVENT':
        return this.addTransfer(event, path);
      case 'TRIGGER_SUMMARY_EVENT':
        return this.addSummaryRequest(event, path);
      case 'END_OF_CONVERSATION':
        return this.addEnd(event, path);
    }
  }

  private addTransfer(event: TransferEvent, path: string): void {
    const { identity, name } = event.participant;
    const type = event.transfertype.toUpperCase() as TransferType;
    const agent = { identity, name, type, since: this.context.at.toISOString(), seq: this.nextSeq };
    const effect = event.transition === 'entry' ? applyEntry(this.state, agent) : applyExit(this.state, agent);
    if (this.state.active.length > MAX_ACTIVE) throw agentAssistErrors.tooManyAgents({ max: MAX_ACTIVE });
    const isPresent = this.state.active.some((other) => other.identity === identity);
    const row = {
      ...emptyRow(event.transition, JSON.stringify(event)),
      language: event.language ?? null,
      // An agent who enters after the end does not become active, so the segment ends at once.
      leftAt: event.transition === 'entry' && !isPresent ? this.context.at : null,
    };
    this.addRow(path, { ...row, agentIdentity: identity, agentName: name, transferType: type }, effect);
  }

  private addSummaryRequest(event: SummaryEvent, path: string): void {
    const { language, locale, type } = event.data;
    const seq = this.nextSeq;
    const effect = applySummaryRequest(this.state, [language, locale, type], seq);
    if ('violations' in effect) this.summaries.push({ seq, language, locale, type });
    this.addRow(path, { ...emptyRow('summary', JSON.stringify(event)), language }, effect);
  }

  private addEnd(event: EndEvent, path: string): void {
    const { identity: agentIdentity, name: agentName } = event.participant;
    const row = { ...emptyRow('end', JSON.stringify(event)), agentIdentity, agentName, language: event.language };
    this.addRow(path, row, applyEnd(this.state, this.nextSeq));
  }

  private addRow(path: string, row: Omit<NewEvent, 'seq'>, effect: Effect): void {
    const seq = this.nextSeq;
    if ('repeats' in effect) {
      this.repeats += 1;
      if (effect.repeats !== seq) return this.countRepeat(effect.repeats);
      row.repeats = 1;
    } else {
      this.refuseIfStrict(path, effect.violations);
      row.violations = effect.violations;
      for (const agent of effect.closes) this.closeSegment(agent.seq);
    }
    if (row.kind !== 'message' && row.kind !== 'summary')
      row.active = this.state.active.map(({ identity }) => identity);
    // The members beside the events are stored once for each call.
    const call = this.rows.length === 0 ? this.envelope : null;
    this.rows.push({ ...row, seq, call });
  }

  private countRepeat(seq: number): void {
    const ofThisCall = this.rows.find((row) => row.seq === seq);
    if (ofThisCall) ofThisCall.repeats += 1;
    else this.repeatedSeqs.push(seq);
  }

  private closeSegment(seq: number): void {
    const ofThisCall = this.rows.find((row) => row.seq === seq);
    if (ofThisCall) ofThisCall.leftAt = this.context.at;
    else this.closedSeqs.push(seq);
  }

  private refuseIfStrict(what: string, [violation]: readonly Violation[]): void {
    if (!this.context.isStrict || !violation) return;
    throw agentAssistErrors.outOfOrder({ what, reason: VIOLATIONS[violation] });
  }

  private get nextSeq(): number {
    return this.lastSeq + 1;
  }
}

function emptyRow(kind: EventKind, payload: string): Omit<NewEvent, 'seq'> {
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
