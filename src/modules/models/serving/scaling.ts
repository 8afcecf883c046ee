import type { ScalingParameters } from '../deploy-model.schema.js';
import type { ReplicaLoad } from '../hosts/model-host.js';

/**
 * Adds a replica when calls have waited for `scaleUpDelay`, and ends one when fewer have sufficed for `scaleDownDelay`.
 */
export class Scaling {
  private growing: NodeJS.Timeout | undefined;
  private shrinking: NodeJS.Timeout | undefined;

  constructor(
    private readonly parameters: ScalingParameters,
    private readonly grow: () => void,
    private readonly shrink: () => void,
  ) {}

  /** `loads` has the loads of the replicas that are ready, and `replicas` also counts those that are still starting. */
  update(loads: ReplicaLoad[], replicas: number): void {
    const { minReplicas, maxReplicas, maxBatchSize, scaleUpDelay, scaleDownDelay } = this.parameters;
    const calls = loads.reduce((sum, { active, waiting }) => sum + active + waiting, 0);
    const isShort = replicas < maxReplicas && loads.some(({ waiting }) => waiting > 0);
    const isAmple = replicas > minReplicas && loads.length === replicas && calls <= (replicas - 1) * maxBatchSize;
    this.growing = this.timed(this.growing, isShort, scaleUpDelay, () => {
      this.growing = undefined;
      this.grow();
    });
    this.shrinking = this.timed(this.shrinking, isAmple && !isShort, scaleDownDelay, () => {
      this.shrinking = undefined;
      this.shrink();
    });
  }

  end(): void {
    clearTimeout(this.growing);
    clearTimeout(this.shrinking);
  }

  private timed(timer: NodeJS.Timeout | undefined, isDue: boolean, delay: number, act: () => void) {
    if (isDue) return timer ?? setTimeout(act, delay).unref();
    clearTimeout(timer);
    return undefined;
  }
}
