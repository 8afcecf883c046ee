import type { ClaimedDeployment } from '../model-deployment.repository.js';

/** A deployment that this process serves. */
export interface Served {
  /** The number of replicas that the deployment has or is about to have in this process. */
  readonly reserved: number;
  /** Resolves when the deployment is stopped and its last replica in this process has ended. */
  readonly whenEnded: Promise<void>;
  readonly hasEnded: boolean;
  start(): void;
  update(deployment: ClaimedDeployment): void;
  /** Stops serving. The replicas answer the calls that they have, however long that takes. */
  stop(): void;
  kill(): void;
}
