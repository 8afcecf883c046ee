import type { Id } from '../../kernel/ids.js';

/** What answers in an environment. */
export interface Live {
  agentId: Id<'agent'>;
  versionId: Id<'agentVersion'>;
}

/** What is live in environments. Whoever has the agents implements it. */
export abstract class LiveVersions {
  /** Those of the environments in which something is live. */
  abstract liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, Live>>;
}
