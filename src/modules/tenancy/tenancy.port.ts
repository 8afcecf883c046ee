import type { Id } from '../../kernel/ids.js';

/** The version of an agent that answers in an environment. */
export interface LiveVersion {
  agentId: Id<'agent'>;
  versionId: Id<'agentVersion'>;
}

/** Looks up which versions are live. The agents module implements it. */
export abstract class LiveVersions {
  /** Environments in which no version is live are left out. */
  abstract liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, LiveVersion>>;
}
