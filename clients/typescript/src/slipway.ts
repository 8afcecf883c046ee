import { addressIn, secretIn } from './given.js';
import type { operations } from './schema.js';
import { Place, type EnvironmentName } from './place.js';
import { AgentAssist } from './resources/agent-assist.js';
import { Agents } from './resources/agents.js';
import { Chat } from './resources/chat.js';
import { Connections } from './resources/connections.js';
import { Files } from './resources/files.js';
import { Jobs } from './resources/jobs.js';
import { Keys } from './resources/keys.js';
import { Ledger } from './resources/ledger.js';
import { McpConnections } from './resources/mcp-connections.js';
import { Messages } from './resources/messages.js';
import { Models } from './resources/models.js';
import { Runs } from './resources/runs.js';
import { Sessions } from './resources/sessions.js';
import { Tools } from './resources/tools.js';
import { Webhooks } from './resources/webhooks.js';
import { bodyOf, Transport, type CallOptions } from './transport.js';

type KeyOfMe = operations['Me_read']['responses']['200']['content']['application/json'];

export interface SlipwayOptions {
  /** The address of the service, such as `https://slipway.example.com`. */
  url: string;
  /** A key of a project (`sw_…`). */
  apiKey?: string;
  /** An administration key, which the members for administrators need. */
  adminKey?: string;
  /** The app and the project of calls; those of the API key, unless given. */
  appId?: string;
  projectId?: string;
  /** `production`, unless given. */
  environment?: EnvironmentName;
  /** The time limit of a call with all its repeats: two minutes, unless given. */
  timeoutMs?: number;
  /** How often a request is sent again at most: four times, unless given. */
  retries?: number;
  /**
   * How long a stream may send nothing: 30 seconds for the events of jobs, which have a heartbeat every ten, and 330
   * seconds for others, unless given.
   */
  idleTimeoutMs?: number;
  /** Sends requests in place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** The client of a Slipway service. */
export class Slipway {
  readonly agentAssist: AgentAssist;
  readonly agents: Agents;
  readonly chat: Chat;
  readonly connections: Connections;
  readonly files: Files;
  readonly jobs: Jobs;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly mcpConnections: McpConnections;
  readonly messages: Messages;
  readonly models: Models;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly tools: Tools;
  readonly webhooks: Webhooks;
  private readonly http: Transport;

  constructor({ url, apiKey, adminKey, timeoutMs = 120_000, retries = 4, idleTimeoutMs, ...options }: SlipwayOptions) {
    const { fetch = globalThis.fetch.bind(globalThis), ...named } = options;
    const settings = { url: addressIn(url), timeoutMs, retries, idleTimeoutMs, fetch };
    const http = new Transport({ ...settings, key: secretIn(apiKey, 'The API key'), keyName: 'apiKey' });
    const admin = new Transport({
      ...settings,
      key: secretIn(adminKey, 'The administration key'),
      keyName: 'adminKey',
    });
    const place = new Place(http, named);
    this.http = http;
    this.agentAssist = new AgentAssist(http, admin, place);
    this.agents = new Agents(admin, place);
    this.chat = new Chat(http);
    this.connections = new Connections(http);
    this.files = new Files(http);
    this.jobs = new Jobs(http, admin, place);
    this.keys = new Keys(http, admin, place);
    this.ledger = new Ledger(http, place);
    this.mcpConnections = new McpConnections(admin, place);
    this.messages = new Messages(http, place);
    this.models = new Models(http, this.files);
    this.runs = new Runs(http, place);
    this.sessions = new Sessions(http, place);
    this.tools = new Tools(http, this.files);
    this.webhooks = new Webhooks(admin, place);
  }

  /** Returns what the service knows of the client's API key. */
  me(options?: CallOptions): Promise<KeyOfMe> {
    return bodyOf(this.http.api.GET('/api/public/me', this.http.with(options)));
  }
}
