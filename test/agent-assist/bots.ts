import { administratorOf, type Tenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import type { Target } from '../support/service.js';
import { hs256 } from './tokens.js';

export const ADMIN = '/api/admin/v1';

interface ClientInput {
  name?: string;
  algorithm?: string;
  publicKey?: string;
  requireExp?: boolean;
  enforceJti?: boolean;
}

export interface JwtClient {
  clientId: string;
  clientSecret: string;
}

export interface BotInput {
  name?: string;
  strict?: boolean;
  connectionId?: string;
  agentId?: string;
  subscriptionId?: string;
}

export async function made<Data>(target: Target, path: string, input: object): Promise<Data> {
  const { status, body, text } = await administratorOf(target).post<{ data: Data }>(ADMIN + path, input);
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return body.data;
}

export function makeClient(target: Target, { projectId }: Tenant, input: ClientInput = {}): Promise<JwtClient> {
  return made(target, `/projects/${projectId}/jwt-clients`, { name: 'Contact centre', ...input });
}

export async function makeBot(target: Target, { projectId }: Tenant, input: BotInput = {}): Promise<string> {
  return (await made<{ botId: string }>(target, `/projects/${projectId}/bots`, { name: 'Service desk', ...input }))
    .botId;
}

/** A bot, and a contact centre that reports conversations to it. */
export class Desk {
  private constructor(
    readonly target: Target,
    readonly botId: string,
    readonly client: JwtClient,
  ) {}

  static async open(target: Target, tenant: Tenant, input: BotInput = {}): Promise<Desk> {
    return Desk.of(target, tenant, await makeBot(target, tenant, input));
  }

  /** A further contact centre of a bot. */
  static async of(target: Target, tenant: Tenant, botId: string): Promise<Desk> {
    return new Desk(target, botId, await makeClient(target, tenant));
  }

  get token(): string {
    return hs256(this.client.clientSecret, { clientId: this.client.clientId });
  }

  get path(): string {
    return `/agentassist/api/v1/hooks/${this.botId}`;
  }

  post(body: unknown, headers: Record<string, string> = { token: this.token }): Promise<Answer> {
    return new Client(this.target.url).post(this.path, body, { headers });
  }

  tell(conversationId: string, ...events: object[]): Promise<Answer> {
    return this.post({ conversationId, botId: this.botId, events });
  }

  say(conversationId: string, query: string, more: object = {}): Promise<Answer> {
    return this.post({ conversationId, botId: this.botId, ...message(query), ...more });
  }

  async read(conversationId: string, query: Record<string, string> = {}): Promise<Conversation> {
    const path = `${ADMIN}/bots/${this.botId}/conversations/${encodeURIComponent(conversationId)}`;
    const { body } = await administratorOf(this.target).get<{ data: Conversation }>(path, { query });
    return body.data;
  }
}

export interface TimelineRow {
  seq: number;
  kind: string;
  agent: { identity: string } | null;
  transferType: string | null;
  activeAgents: string[] | null;
  leftAt: string | null;
  violations: { code: string }[];
  repeatCount: number;
  text: string | null;
  proposal: string | null;
  payload: Record<string, unknown>;
  call: Record<string, unknown> | null;
}

export interface Conversation {
  conversationId: string;
  status: string;
  endedAt: string | null;
  activeAgents: { identity: string }[];
  eventCount: number;
  messageCount: number;
  repeatCount: number;
  violationCount: number;
  timeline: TimelineRow[];
  nextCursor: string | null;
  violations: { seq: number; code: string; reason: string }[];
  summaries: { seq: number; status: string; text: string; locale: string; madeBy: string }[];
}

let conversations = 0;
export function newConversation(): string {
  conversations += 1;
  return `call-${conversations}`;
}

export function message(query: string) {
  return {
    query,
    agentId: 'agent-17',
    experience: 'chat',
    author: { type: 'USER' },
    source: 'desk',
    sendUserMessage: true,
    sendAgentMessage: true,
    language: 'en',
  };
}

const participant = (identity: string) => ({ identity, name: `Agent ${identity}`, type: 'agent' });

function transfer(transition: 'entry' | 'exit') {
  return (transfertype: string, identity = 'A') => ({
    name: 'INTERNAL_TRANSFER_EVENT',
    transfertype,
    transition,
    isExtAD: 'false',
    language: 'en',
    experience: 'chat',
    participant: participant(identity),
  });
}

export const entry = transfer('entry');
export const exit = transfer('exit');

export function summary(locale = 'en-GB', language = 'English') {
  return { name: 'TRIGGER_SUMMARY_EVENT', data: { language, locale, type: 'post' } };
}

export function end() {
  return {
    name: 'END_OF_CONVERSATION',
    reason: 'agent_initiated',
    language: 'en',
    experience: 'chat',
    participant: participant('A'),
  };
}

/** The sequences of events that the specification documents. */
export const SEQUENCES = {
  standard: [entry('NA'), exit('NA'), summary(), end()],
  'cold transfer': [entry('NA'), exit('COLD'), entry('COLD', 'B'), exit('NA', 'B'), summary(), end()],
  'warm transfer': [entry('NA'), entry('warm', 'C'), exit('warm', 'C'), exit('NA'), summary(), end()],
  redial: [entry('NA'), exit('NA'), entry('redial'), exit('NA'), summary(), end()],
};
