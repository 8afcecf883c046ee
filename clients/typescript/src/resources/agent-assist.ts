import { secretIn } from '../given.js';
import { rowsOf } from '../lists.js';
import type { Place, ProjectOptions, Schemas } from '../place.js';
import type { operations } from '../schema.js';
import { bodyOf, dataOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

const BOTS = '/api/admin/v1/projects/{projectId}/bots';
const CONVERSATIONS = '/api/admin/v1/bots/{botId}/conversations';

type ConversationQuery = Omit<NonNullable<operations['ConversationsAdmin_list']['parameters']['query']>, 'cursor'>;

/** The conversations that contact centres report. */
export class AgentAssist {
  constructor(
    private readonly http: Transport,
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  /** Reports what happened in a conversation. `token` is a JWT that a client of the project has signed. */
  async report(
    body: Schemas['HookCallInput'],
    { token, ...options }: OnceOptions & { token: string },
  ): Promise<Schemas['HookTaken']> {
    return bodyOf(
      this.http.api.POST('/agentassist/api/v1/hooks/{botId}', {
        params: { header: once(options), path: { botId: body.botId } },
        headers: { auth: secretIn(token, 'The token'), 'x-api-key': null },
        body,
        ...this.http.with(options, { isWithoutKey: true }),
      }),
    );
  }

  async createBot(
    body: Schemas['CreateBotInput'],
    options: ProjectOptions & OnceOptions = {},
  ): Promise<Schemas['Bot']> {
    const params = { header: once(options), path: { projectId: await this.place.project(options) } };
    return dataOf(this.admin.api.POST(BOTS, { params, body, ...this.admin.with(options) }));
  }

  async *bots(options: ProjectOptions & CallOptions = {}): AsyncGenerator<Schemas['Bot'], void, undefined> {
    const path = { projectId: await this.place.project(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET(BOTS, { params: { path, query: { cursor } }, ...this.admin.with(options) }),
    );
  }

  conversations(
    botId: string,
    query: ConversationQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['AssistConversation'], void, undefined> {
    return rowsOf((cursor) =>
      this.admin.api.GET(CONVERSATIONS, {
        params: { path: { botId }, query: { ...query, cursor } },
        ...this.admin.with(options),
      }),
    );
  }

  conversation(
    botId: string,
    conversationId: string,
    options?: CallOptions,
  ): Promise<Schemas['AssistConversationDetails']> {
    const params = { path: { botId, conversationId } };
    return dataOf(this.admin.api.GET(`${CONVERSATIONS}/{conversationId}`, { params, ...this.admin.with(options) }));
  }

  transcript(
    botId: string,
    conversationId: string,
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['AssistMessage'], void, undefined> {
    return rowsOf((cursor) =>
      this.admin.api.GET(`${CONVERSATIONS}/{conversationId}/transcript`, {
        params: { path: { botId, conversationId }, query: { cursor } },
        ...this.admin.with(options),
      }),
    );
  }
}
