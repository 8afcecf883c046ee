import { createHmac } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { randomBase62 } from '../../kernel/base62.js';
import type { Id, IdKind } from '../../kernel/ids.js';
import type { PermissionMap } from '../../kernel/permissions.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { type ExampleSource, exampleSources } from '../../platform/openapi/example-source.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { Log } from '../../platform/telemetry/log.js';
import { ApiKeysService } from '../access/api-keys.service.js';
import { ScopesService } from '../access/scopes.service.js';
import { BotsService } from '../agent-assist/bots.service.js';
import { JwtClientsService } from '../agent-assist/jwt-clients.service.js';
import { ActivationsService } from '../agents/definitions/activations.service.js';
import { AgentsService } from '../agents/definitions/agents.service.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { ToolInstallsService } from '../tools/definitions/tool-installs.service.js';
import { SubscriptionsService } from '../webhooks/subscriptions/subscriptions.service.js';
import { PERMISSION_NAMES } from '../permissions.js';
import { DemoConversation } from './demo-conversation.js';
import { DemoModel, WELCOME } from './demo-model.js';
import { DEMO_TOOL } from './demo-tool.js';

interface Demo {
  projectId: Id<'project'>;
  appId: string;
  scopeId: string;
  scopeName: string;
  keyId: string;
  apiKey: string;
  agentId: string;
  /** These are missing in a demo that was created by an earlier release. */
  toolId?: string;
  dockStatusId?: string;
  botId?: string;
  /** A JWT for the header `auth` of agent-assist hooks. */
  hookToken?: string;
  /** Undefined if callbacks to this machine are not allowed. */
  subscriptionId?: string;
  webhookSecret?: string;
  /** The connection and the name of the model that the environment named. Missing if it never named one. */
  connectionId?: string;
  model?: string;
}

const DEMO_BOT = { name: 'Demo bot', connectionId: null, agentId: null, subscriptionId: null, strict: false };

/** Where `scripts/receive-callbacks.mjs` listens. */
const LOCAL_RECEIVER = 'http://127.0.0.1:3001/';

const ALL_PERMISSIONS = Object.fromEntries(PERMISSION_NAMES.map((name) => [name, 'YES'])) as PermissionMap;

/**
 * Makes the demo project at the first start: a key with all permissions, and an agent that answers in production with
 * the mock, or with the model that the environment names, and a first conversation. The key is written to a private
 * file and never to the log.
 */
@exampleSources.marks(true)
export class DemoService implements OnApplicationBootstrap, ExampleSource {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly scopes: ScopesService,
    private readonly keys: ApiKeysService,
    private readonly agents: AgentsService,
    private readonly activations: ActivationsService,
    private readonly tools: ToolInstallsService,
    private readonly bots: BotsService,
    private readonly jwtClients: JwtClientsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly outbound: Outbound,
    private readonly conversation: DemoConversation,
    private readonly model: DemoModel,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.SLIPWAY_DEMO) await this.database.apart(() => this.makeOnce());
  }

  async ids(): Promise<Partial<Record<IdKind, string>>> {
    const demo = await this.database.apart(() => this.existing());
    if (!demo) return {};
    const { projectId, appId, scopeId, keyId, agentId, toolId, dockStatusId, botId, subscriptionId } = demo;
    return {
      project: projectId,
      app: appId,
      scope: scopeId,
      apiKey: keyId,
      agent: agentId,
      ...(toolId !== undefined && { tool: toolId }),
      ...(dockStatusId !== undefined && { dockJob: dockStatusId }),
      ...(botId !== undefined && { bot: botId }),
      ...(subscriptionId !== undefined && { subscription: subscriptionId }),
    };
  }

  private async makeOnce(): Promise<void> {
    const demo = (await this.existing()) ?? (await this.makeAndWrite());
    const used = await this.model.use(demo);
    if (used) await this.write({ ...demo, ...used });
  }

  private async makeAndWrite(): Promise<Demo> {
    const demo = await this.make();
    await this.write(demo);
    this.log.info({ projectId: demo.projectId }, 'The demo project was created');
    return demo;
  }

  private async existing(): Promise<Demo | null> {
    const earlier = await this.read();
    return earlier && (await this.tenancy.hasProject(earlier.projectId)) ? earlier : null;
  }

  /** Reads the demo from its file. The file may be of another database, so its project need not exist. */
  private async read(): Promise<Demo | null> {
    const text = await readFile(this.file, 'utf8').catch(() => null);
    if (text === null) return null;
    try {
      return JSON.parse(text) as Demo;
    } catch {
      throw new Error(`${this.file} is not JSON. Remove it, and the next start makes a new demo.`);
    }
  }

  private async make(): Promise<Demo> {
    const project = await this.tenancy.createProject(SYSTEM, 'Demo');
    const app = await this.tenancy.createApp(SYSTEM, project.id, 'Demo app');
    const scope = await this.scopes.create(SYSTEM, app.id, {
      name: 'demo',
      description: 'All permissions, for the demo',
      permissions: ALL_PERMISSIONS,
      ceiling: null,
    });
    const keyProperties = { scopeName: scope.name, keyName: 'demo', expiresAt: null };
    const { key, value } = await this.keys.create(SYSTEM, app.id, keyProperties);
    const { agent, version } = await this.agents.create(SYSTEM, app.id, {
      name: 'Demo agent',
      instructions: 'You help people to try Slipway out.',
      welcomeMessage: WELCOME,
    });
    await this.activations.set(SYSTEM, app.id, 'production', { agentId: agent.id, active: true });
    const tool = await this.installTool(project.id, scope.id);
    const demo = {
      projectId: project.id,
      appId: app.id,
      scopeId: scope.id,
      scopeName: scope.name,
      keyId: key.id,
      apiKey: value,
      agentId: agent.id,
      ...tool,
      ...(await this.connectContactCentre(project.id)),
      ...(await this.subscribe(project.id, app.id)),
    };
    const answering = { versionId: version.id, welcomeMessage: WELCOME };
    this.conversation.begin({ projectId: project.id, appId: app.id, version: answering, toolId: tool.toolId });
    return demo;
  }

  private async installTool(projectId: Id<'project'>, scopeId: Id<'scope'>) {
    const { id, targetId } = await this.tools.install(SYSTEM, projectId, scopeId, DEMO_TOOL);
    return { toolId: targetId as Id<'tool'>, dockStatusId: id };
  }

  private async connectContactCentre(projectId: Id<'project'>): Promise<Partial<Demo>> {
    const bot = await this.bots.create(SYSTEM, projectId, DEMO_BOT);
    const { client, secret } = await this.jwtClients.create(SYSTEM, projectId, {
      name: 'Demo contact centre',
      algorithm: 'HS256',
      requireExp: false,
      enforceJti: false,
    });
    return { botId: bot.id, hookToken: signedToken({ sub: 'demo', appId: client.id }, secret!) };
  }

  private async subscribe(projectId: Id<'project'>, appId: Id<'app'>): Promise<Partial<Demo>> {
    if (!this.outbound.isOpened(LOCAL_RECEIVER)) return {};
    const { subscription, secret } = await this.subscriptions.create(SYSTEM, projectId, {
      displayName: 'The receiver on this machine',
      callbackUrl: LOCAL_RECEIVER,
      events: ['agent.response', 'agent.status', 'agent.media'],
      appId,
      environment: 'production',
    });
    return { subscriptionId: subscription.id, webhookSecret: secret };
  }

  private async write(demo: Demo): Promise<void> {
    await mkdir(this.settings.DATA_DIR, { recursive: true });
    const unfinished = `${this.file}.${randomBase62(8)}`;
    await writeFile(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    await rename(unfinished, this.file);
  }

  private get file(): string {
    return join(this.settings.DATA_DIR, 'demo.json');
  }
}

/** A JWT that does not expire: it is as good as the API key beside it. */
function signedToken(claims: object, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
