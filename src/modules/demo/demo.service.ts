import { createHmac } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { z } from 'zod';
import { SYSTEM } from '../../kernel/actor.js';
import { randomBase62 } from '../../kernel/base62.js';
import type { Id, IdKind } from '../../kernel/ids.js';
import type { PermissionMap } from '../../kernel/permissions.js';
import { ownId } from '../../kernel/schema.js';
import { StartError } from '../../kernel/start-error.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { sql } from '../../platform/database/sql.js';
import { row, type Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { ExampleSource, exampleSources } from '../../platform/openapi/example-source.js';
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

/** The demo as its file describes it, which is written by people, too. */
const Demo = z.looseObject({
  projectId: ownId('project'),
  appId: ownId('app'),
  scopeId: ownId('scope'),
  scopeName: z.string(),
  keyId: ownId('apiKey'),
  apiKey: z.string(),
  agentId: ownId('agent'),
  // These are missing in a demo that was created by an earlier release.
  toolId: ownId('tool').optional(),
  dockStatusId: ownId('dockJob').optional(),
  botId: ownId('bot').optional(),
  /** A JWT for the header `auth` of agent-assist hooks. */
  hookToken: z.string().optional(),
  // These are missing if callbacks to this machine are not allowed.
  subscriptionId: ownId('subscription').optional(),
  webhookSecret: z.string().optional(),
  // The connection and the name of the model that the environment named. They are missing if it never named one.
  connectionId: ownId('connection').optional(),
  model: z.string().optional(),
});
type Demo = z.output<typeof Demo>;

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
export class DemoService extends ExampleSource implements OnApplicationBootstrap {
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
  ) {
    super();
  }

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

  /**
   * Makes all of the demo in one transaction, which writes the file last. A process that dies before the commit leaves
   * nothing but, perhaps, a file for a project that does not exist, and the next start makes the demo. Processes that
   * start in the same moment take turns.
   */
  private async makeOnce(): Promise<void> {
    let made = await this.makeUnlessTaken();
    while (made === 'taken') {
      await wait(ASK_AGAIN_MS);
      made = await this.makeUnlessTaken();
    }
    if (made) this.log.info({ projectId: made.projectId }, 'The demo project was created');
  }

  /**
   * Returns the demo that it has made, or null if there was one. While another process makes the demo, it does not wait,
   * because that may take longer than a statement may wait for a lock.
   */
  private async makeUnlessTaken(): Promise<Demo | 'taken' | null> {
    return this.database.transaction(SYSTEM, async (tx) => {
      const lock = await tx.ask(takeDemoLock());
      if (!lock?.isTaken) return 'taken';
      const known = await this.existing();
      const demo = known ?? (await this.make(tx));
      const used = await this.model.use(demo);
      await tx.em.flush();
      if (used || !known) await this.write({ ...demo, ...used });
      return known ? null : demo;
    });
  }

  private async existing(): Promise<Demo | null> {
    const earlier = await this.read();
    return earlier && (await this.tenancy.hasProject(earlier.projectId)) ? earlier : null;
  }

  /** Reads the demo from its file. The file may be of another database, so its project need not exist. */
  private async read(): Promise<Demo | null> {
    const text = await readFile(this.file, 'utf8').catch(() => null);
    if (text === null) return null;
    const demo = Demo.safeParse(jsonIn(text));
    if (demo.success) return demo.data;
    throw new StartError(`${this.file} does not describe a demo. Remove it, and the next start makes a new one.`);
  }

  private async make(tx: Transaction): Promise<Demo> {
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
    const contactCentre = await this.connectContactCentre(project.id);
    const receiver = await this.subscribe(project.id, app.id);
    await tx.em.flush();
    const { toolId } = tool;
    await this.conversation.add(tx, { projectId: project.id, appId: app.id, versionId: version.id, toolId });
    return {
      projectId: project.id,
      appId: app.id,
      scopeId: scope.id,
      scopeName: scope.name,
      keyId: key.id,
      apiKey: value,
      agentId: agent.id,
      ...tool,
      ...contactCentre,
      ...receiver,
    };
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

/** The number is that of the demo in every release, so that processes of two releases take turns, too. */
const DEMO_LOCK = 0x64656d6f;
const ASK_AGAIN_MS = 100;

function takeDemoLock(): Statement<{ isTaken: boolean } | null> {
  return row(sql`select pg_try_advisory_xact_lock(${DEMO_LOCK}) as "isTaken"`);
}

/** Returns undefined for a text that is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JWT that does not expire: it is as good as the API key beside it. */
function signedToken(claims: object, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
