import { FleetFault, type FleetHost } from '../hosts/fleet-host.js';
import type { ServingContext } from './serving-context.js';

/** The interval at which the fleets of ended deployments are looked for, if none has just ended. */
const SWEEP_EVERY_MS = 30_000;

/** Removes the fleets of deployments that have ended, whichever process had claimed them. */
export class FleetSweep {
  private sweptAt = -SWEEP_EVERY_MS;
  private underWay: Promise<void> | undefined;
  private lastReason = '';

  constructor(
    private readonly host: FleetHost,
    private readonly context: ServingContext,
  ) {}

  /** Makes the next sweep due, because a deployment may have ended. */
  hasten(): void {
    this.sweptAt = -SWEEP_EVERY_MS;
  }

  /** Does not wait for the system that runs the fleets, because it may hang. */
  sweepIfDue(): void {
    if (this.underWay || performance.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = performance.now();
    this.underWay = this.sweep()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.underWay = undefined));
  }

  private async sweep(): Promise<void> {
    const { ask, deployments, kind, stopping } = this.context;
    // The list is older than the rows, so a deployment that begins in the meantime is not in it.
    const present = await this.host.list(stopping);
    this.lastReason = '';
    if (present.length === 0) return;
    const wanted = new Set(await ask(deployments.toServeOn(kind.name)));
    const faults: unknown[] = [];
    for (const id of present.filter((each) => !wanted.has(each))) {
      await this.host.remove(id, stopping).catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length > 0) throw faults[0];
  }

  /** Tries again soon, if the system may answer by then. */
  private failed(error: unknown): void {
    if (this.context.stopping.aborted) return;
    const isFinal = error instanceof FleetFault && error.isFinal;
    if (!isFinal) this.sweptAt = performance.now() - SWEEP_EVERY_MS + this.context.fleetPace.sweepAgainMs;
    const reason = error instanceof Error ? error.message : '';
    if (reason === this.lastReason) return;
    this.lastReason = reason;
    this.context.log.warn({ err: error }, 'Ended fleets could not be removed; the next sweep tries again');
  }
}
