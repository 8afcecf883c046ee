/**
 * The entities to which rows of plugins can refer. Their types have the id and the owner alone, so every other member
 * may change in any release.
 */
import type { EntityClass } from '@mikro-orm/postgresql';
import type { Id, IdKind } from './kernel/ids.js';
import { ApiKey as ApiKeyEntity } from './modules/access/api-key.entity.js';
import { Scope as ScopeEntity } from './modules/access/scope.entity.js';
import { Bot as BotEntity } from './modules/agent-assist/bot.entity.js';
import { Agent as AgentEntity } from './modules/agents/definitions/agent.entity.js';
import { Connection as ConnectionEntity } from './modules/connections/connection.entity.js';
import { File as FileEntity } from './modules/files/file.entity.js';
import { McpConnection as McpConnectionEntity } from './modules/mcp-connections/mcp-connection.entity.js';
import { Model as ModelEntity } from './modules/models/model.entity.js';
import { Session as SessionEntity } from './modules/sessions/session.entity.js';
import { User as UserEntity } from './modules/sessions/user.entity.js';
import { App as AppEntity, Environment as EnvironmentEntity } from './modules/tenancy/app.entity.js';
import { Project as ProjectEntity } from './modules/tenancy/project.entity.js';
import { Tool as ToolEntity } from './modules/tools/definitions/tool.entity.js';
import { Subscription as SubscriptionEntity } from './modules/webhooks/subscriptions/subscription.entity.js';

interface Resource<Kind extends IdKind> {
  readonly id: Id<Kind>;
}

interface OfProject<Kind extends IdKind> extends Resource<Kind> {
  readonly project: Project;
}

interface OfApp<Kind extends IdKind> extends Resource<Kind> {
  readonly app: App;
}

export type Project = Resource<'project'>;
export const Project: EntityClass<Project> = ProjectEntity;

export type App = OfProject<'app'>;
export const App: EntityClass<App> = AppEntity;

export type Environment = OfApp<'environment'>;
export const Environment: EntityClass<Environment> = EnvironmentEntity;

export type Scope = OfApp<'scope'>;
export const Scope: EntityClass<Scope> = ScopeEntity;

export type ApiKey = Resource<'apiKey'> & { readonly scope: Scope };
export const ApiKey: EntityClass<ApiKey> = ApiKeyEntity;

export type Agent = OfApp<'agent'>;
export const Agent: EntityClass<Agent> = AgentEntity;

export type Session = OfApp<'session'>;
export const Session: EntityClass<Session> = SessionEntity;

export type User = OfApp<'user'>;
export const User: EntityClass<User> = UserEntity;

export type File = OfProject<'file'>;
export const File: EntityClass<File> = FileEntity;

export type Tool = OfProject<'tool'>;
export const Tool: EntityClass<Tool> = ToolEntity;

export type Model = OfProject<'model'>;
export const Model: EntityClass<Model> = ModelEntity;

export type Connection = OfProject<'connection'>;
export const Connection: EntityClass<Connection> = ConnectionEntity;

export type McpConnection = OfProject<'mcpConnection'>;
export const McpConnection: EntityClass<McpConnection> = McpConnectionEntity;

export type Bot = OfProject<'bot'>;
export const Bot: EntityClass<Bot> = BotEntity;

export type Subscription = OfProject<'subscription'>;
export const Subscription: EntityClass<Subscription> = SubscriptionEntity;
