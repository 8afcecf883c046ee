import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { MOCK } from '../../gateway/gateway.port.js';
import { App } from '../../tenancy/app.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentVersionRepository } from './agent-version.repository.js';

/** All properties of an agent except its name. */
export interface AgentBehaviour {
  instructions: string;
  connectionId: Id<'connection'> | null;
  modelId: Id<'model'> | null;
  /** The model's name as the gateway knows it. It is used if neither a connection nor a deployed model is given. */
  model: string | null;
  toolIds: Id<'tool'>[];
  /** The MCP connections whose tools the agent may call. */
  mcpConnectionIds: Id<'mcpConnection'>[];
  welcomeMessage: string | null;
  fallbackMessage: string | null;
  historyTokens: number;
  maxSteps: number;
  timeoutSeconds: number;
}

/** Returns the name by which the gateway knows the agent's model. An agent that names no model gets the built-in mock. */
export function modelNameOf({ connectionId, modelId, model }: AgentBehaviour): string {
  return connectionId ?? modelId ?? model ?? MOCK;
}

/** An agent names its model by at most one of these members. */
export const MODEL_MEMBERS = ['connectionId', 'modelId', 'model'] as const;

/** An agent that answers in the sessions of an app. Every change except of its name makes a new version. */
@Audited({ kind: 'agent', project: 'app.project' })
@Entity({ tableName: 'agent', repository: () => AgentRepository })
@Index({ name: 'agent_app', properties: ['app', 'id'] })
export class Agent {
  [EntityRepositoryType]?: AgentRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'agent'> = newId('agent');

  @ManyToOne(() => App, { deleteRule: 'cascade' })
  readonly app: App;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'integer' })
  latestNumber: number = 0;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(app: App, name: string) {
    this.app = app;
    this.name = name;
  }

  rename(name: string): void {
    this.name = name;
    this.modifiedAt = clock.now();
  }

  newVersion(behaviour: AgentBehaviour): AgentVersion {
    this.latestNumber += 1;
    this.modifiedAt = clock.now();
    return new AgentVersion(this, this.latestNumber, behaviour);
  }
}

/** The properties of an agent from one change to the next. A version never changes, so that past runs stay explainable. */
@Audited({ kind: 'agentVersion', project: 'agent.app.project' })
@Entity({ tableName: 'agent_version', repository: () => AgentVersionRepository })
@Unique({ properties: ['agent', 'number'] })
export class AgentVersion implements AgentBehaviour {
  [EntityRepositoryType]?: AgentVersionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'agentVersion'> = newId('agentVersion');

  @ManyToOne(() => Agent, { deleteRule: 'cascade' })
  readonly agent: Agent;

  @Property({ type: 'integer' })
  readonly number: number;

  @Property({ type: 'text' })
  readonly instructions: string;

  @Property({ ...ID, nullable: true })
  readonly connectionId: Id<'connection'> | null;

  @Property({ ...ID, nullable: true })
  readonly modelId: Id<'model'> | null;

  @Property({ type: 'text', nullable: true })
  readonly model: string | null;

  @Property({ type: 'array' })
  readonly toolIds: Id<'tool'>[];

  @Property({ type: 'array', defaultRaw: `'{}'` })
  readonly mcpConnectionIds: Id<'mcpConnection'>[];

  @Property({ type: 'text', nullable: true })
  readonly welcomeMessage: string | null;

  @Property({ type: 'text', nullable: true })
  readonly fallbackMessage: string | null;

  @Property({ type: 'integer' })
  readonly historyTokens: number;

  @Property({ type: 'integer' })
  readonly maxSteps: number;

  @Property({ type: 'integer' })
  readonly timeoutSeconds: number;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(agent: Agent, number: number, behaviour: AgentBehaviour) {
    this.agent = agent;
    this.number = number;
    this.instructions = behaviour.instructions;
    this.connectionId = behaviour.connectionId;
    this.modelId = behaviour.modelId;
    this.model = behaviour.model;
    this.toolIds = behaviour.toolIds;
    this.mcpConnectionIds = behaviour.mcpConnectionIds;
    this.welcomeMessage = behaviour.welcomeMessage;
    this.fallbackMessage = behaviour.fallbackMessage;
    this.historyTokens = behaviour.historyTokens;
    this.maxSteps = behaviour.maxSteps;
    this.timeoutSeconds = behaviour.timeoutSeconds;
  }

  get behaviour(): AgentBehaviour {
    const { instructions, connectionId, modelId, model, toolIds, mcpConnectionIds } = this;
    const { welcomeMessage, fallbackMessage, historyTokens, maxSteps, timeoutSeconds } = this;
    const texts = { instructions, welcomeMessage, fallbackMessage };
    const models = { connectionId, modelId, model };
    return { ...texts, ...models, toolIds, mcpConnectionIds, historyTokens, maxSteps, timeoutSeconds };
  }
}

export type AgentVersionRow = RowOf<AgentVersion, 'behaviour'>;

/** The version that answers in a turn, with the name of its agent. */
export interface AnsweringVersion extends Omit<AgentVersionRow, 'createdAt'> {
  agentName: string;
}
