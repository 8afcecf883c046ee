import type { Id } from '../../../kernel/ids.js';
import type { Inspected } from '../contents/facts.js';
import type { ScalingParameters } from '../deploy-model.schema.js';

/** A file that the replicas of a fleet need. */
export interface FleetFile {
  readonly fileId: Id<'file'>;
  /** The path of the model in an archive; null if the file is the model itself. */
  readonly entry: string | null;
}

/** A deployment that a fleet has to serve. */
export interface FleetOrder {
  readonly deploymentId: Id<'modelDeployment'>;
  readonly deviceType: string;
  readonly scaling: ScalingParameters;
  readonly model: FleetFile;
  /** The adapter over the model. */
  readonly adapter: FleetFile | null;
}

/** How far a fleet is. */
export type FleetState =
  /** `down` says why its replicas do not answer. Without it, those of an earlier order may still do. */
  | { readonly is: 'pending'; readonly percentage: number; readonly down?: string }
  /** Its replicas answer `POST /generate` below this address to callers that send the token. */
  | { readonly is: 'ready'; readonly address: string; readonly token: string }
  | { readonly is: 'failed'; readonly code: string; readonly message: string };

/** A system that runs fleets does not do what it is asked to do. */
export class FleetFault extends Error {
  /** @param isFinal whether another attempt would end the same way, until a person changes something */
  constructor(
    message: string,
    readonly isFinal: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Serves deployments in a system that runs and scales the replicas itself, and that outlives this process. Any process
 * may call a method at any time. Those with a signal throw its reason if it is aborted, and a FleetFault if the system
 * refuses or does not answer.
 */
export abstract class FleetHost {
  /** Returns why the host cannot serve a model, for people, or undefined if it can. */
  abstract refusalOf(model: Inspected): string | undefined;
  /** Makes the system run the fleet as ordered, unless it does, and returns how far it is. */
  abstract ensure(order: FleetOrder, signal: AbortSignal): Promise<FleetState>;
  /** Returns the deployments whose fleets the system has. */
  abstract list(signal: AbortSignal): Promise<Id<'modelDeployment'>[]>;
  /** Removes a fleet, whose replicas answer the calls that they have. It may be gone already. */
  abstract remove(deploymentId: Id<'modelDeployment'>, signal: AbortSignal): Promise<void>;
}
