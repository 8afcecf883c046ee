/** Everything that plugins may use of Slipway. Everything else may change in any release. */
import './platform/config/required-node.js';
// The type of a permission has the names of those of the modules.
import './modules/permissions.js';
import { CONFIGURATION } from './kernel/owners.js';
import { goOnLoadingFor } from './platform/plugins/loading.js';

export * from './kernel/plugin-types.js';
export { defineSettings, defineSlipwayConfig, defineSlipwayPlugin } from './platform/plugins/plugin.js';
export type { SettingsOf, SlipwayConfig, SlipwayPlugin } from './platform/plugins/plugin.js';

export type { Actor, AdminActor, KeyActor, PersonId } from './kernel/actor.js';
export { clock } from './kernel/clock.js';
export { type DefinedError, defineErrors, type ErrorExtras, SlipwayError } from './kernel/errors.js';
export { defineEvent, type EventDefinition, type PayloadOf } from './kernel/events.js';
export { type Id, newId } from './kernel/ids.js';
export { JsonText } from './kernel/json-text.js';
export { mapPage, type Page } from './kernel/page.js';
export { definePermissions, type PermissionSpec } from './kernel/permissions.js';
export { visibleProjects } from './kernel/roles.js';
export { displayName, id, ownId, timestamp } from './kernel/schema.js';

export { Audited, NotAudited } from './platform/audit/audited.js';
export {
  AdminIdentity,
  IdentifiesAdministrators,
  type IdentifiedRequest,
  type IdentityDescription,
  type KnownPerson,
  SignInIdentity,
  type SignInValues,
} from './platform/auth/admin-identity.js';
export { Administrator, CallingKey } from './platform/auth/callers.js';
export { Settings } from './platform/config/settings.js';
export { ID, IDENTITY, UNENFORCED } from './platform/database/columns.js';
export { Database } from './platform/database/database.js';
export { InProject } from './platform/database/in-project.js';
export { planned, type Sql, sql } from './platform/database/sql.js';
export { exists, row, rows, type Statement, write } from './platform/database/statement.js';
export { Events } from './platform/events/events.js';
export { OnEvent } from './platform/events/on-event.js';
export { andInRange, type ListRange } from './platform/list/list-range.js';
export { defineList, type List, type ListOptions, type RequestOf } from './platform/list/list.js';
export { defineJob, type JobDefinition } from './platform/queue/job-definition.js';
export { HandlesJob, JobHandler } from './platform/queue/job-handler.js';
export type { JobRun } from './platform/queue/job-run.js';
export { Jobs } from './platform/queue/jobs.js';
export {
  ChecksReadiness,
  ReadinessCheck,
  type ReadinessCheckDescription,
  type ReadinessFinding,
} from './platform/readiness/readiness-check.js';
export { oldRows } from './platform/retention/old-rows.js';
export { defineRetention, type RetentionRule } from './platform/retention/retention-rule.js';
export { data, page } from './platform/route/answer.js';
export { PathId } from './platform/route/path-id.js';
export { AdminRoute, Route } from './platform/route/route.js';
export { type ByteRange, type Content, Storage } from './platform/storage/storage.js';
export { StorageKind, type StorageDescription, StoresContents } from './platform/storage/storage-kind.js';
export {
  type CounterDefinition,
  defineCounter,
  defineGauge,
  defineHistogram,
  type GaugeDefinition,
  type HistogramDefinition,
} from './platform/telemetry/metric-definition.js';
export { type MetricLabels, Metrics, type MetricValues } from './platform/telemetry/metrics.js';
export { Templates } from './platform/template/templates.js';

export { ApiKeyCreated, ApiKeyRevoked, ApiKeyRotated } from './modules/access/access.events.js';
export { AgentActivated, AgentDeactivated, TurnCompleted, TurnFailed } from './modules/agents/agents.events.js';
export { FileDeleted, FileUploaded } from './modules/files/files.events.js';
export {
  HostsModels,
  ModelHost,
  type ModelHostDescription,
  type Replica,
  type ReplicaEnd,
  type ReplicaListener,
  type ReplicaLoad,
  type ReplicaOrder,
} from './modules/models/hosts/model-host.js';
export type { Inspected } from './modules/models/contents/facts.js';
export type {
  CalledTool,
  GenerateEnd,
  GenerateLine,
  GenerateMessage,
  GenerateRequest,
} from './modules/models/hosts/replica-calls.js';
export { ModelDeployed, ModelUndeployed } from './modules/models/models.events.js';
export { secretField } from './modules/connections/connection-fields.schema.js';
export {
  type CalledConnection,
  ConnectionProtocol,
  ConnectsTo,
  type ProtocolDescription,
} from './modules/connections/connections.port.js';
export {
  type CallableModel,
  type ListedModel,
  type ModelProtocol,
  type ModelRequest,
  ModelTarget,
  ProvidesModels,
  UnsupportedRequest,
} from './modules/gateway/gateway.port.js';
export { SessionCreated, SessionEnded } from './modules/sessions/sessions.events.js';
export {
  Agent,
  ApiKey,
  App,
  Bot,
  Connection,
  Environment,
  File,
  McpConnection,
  Model,
  Project,
  Scope,
  Session,
  Subscription,
  Tool,
  User,
} from './resources.js';
export { TenancyModule } from './modules/tenancy/tenancy.module.js';
export { TenancyService } from './modules/tenancy/tenancy.service.js';
export {
  FlowNodeKind,
  type NodeContext,
  type NodeDescription,
  NodeFailure,
  NodeKind,
  type NodeOutcome,
} from './modules/tools/node-kind.port.js';
export { ToolDeployed, ToolUndeployed } from './modules/tools/tools.events.js';
export { CallbackDelivered, CallbackFailed, MessageAccepted } from './modules/webhooks/webhooks.events.js';

// A configuration imports this file, so all that is defined before is Slipway's, and not what the configuration defines.
goOnLoadingFor(CONFIGURATION);
