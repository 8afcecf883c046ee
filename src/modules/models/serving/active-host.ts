import { randomBase62 } from '../../../kernel/base62.js';
import type { Id } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { HOSTING } from '../hosting-process.entity.js';
import { FleetHost } from '../hosts/fleet-host.js';
import type { HostKind } from '../hosts/model-hosts.js';
import type { ClaimedDeployment } from '../model-deployment.repository.js';
import { FleetSweep } from './fleet-sweep.js';
import type { Served } from './served.js';
import { ServedDeployment } from './served-deployment.js';
import { ServedFleet } from './served-fleet.js';
import type { HostingContext, ServingContext } from './serving-context.js';

/** A missing engine is looked for again after this time, because it may have been installed. */
const ENGINE_AGAIN_MS = MINUTE_MS;
/** The room for replicas that do not run in this process. */
const ROOM_FOR_FLEETS = 1_000;

/** A kind of host in this process: claims the deployments that this kind serves, and releases those that have ended. */
export class ActiveHost {
  /** Whether the installation had no deployment for this kind of host at the last look. */
  isIdle = false;
  private isAnyFree = false;

  private readonly processId = `h-${randomBase62(22)}`;
  private readonly served = new Map<Id<'modelDeployment'>, Served>();
  /** Deployments that this process no longer serves, until their last call is answered. */
  private readonly ending = new Set<Served>();
  private readonly serving: ServingContext;
  private readonly sweep: FleetSweep | undefined;
  private problem: { reason: string; until: number } | undefined;

  constructor(
    private readonly kind: HostKind,
    private readonly context: HostingContext,
  ) {
    this.serving = {
      ...context,
      kind,
      processId: this.processId,
      engineMissing: (reason) => this.engineMissing(reason),
    };
    if (kind.host instanceof FleetHost) this.sweep = new FleetSweep(kind.host, this.serving);
  }

  /** The number of replicas that this host has or is about to have. */
  get reserved(): number {
    return [...this.served.values(), ...this.ending].reduce((sum, { reserved }) => sum + reserved, 0);
  }

  async reconcile(): Promise<void> {
    await this.serveClaimed();
    await this.claim();
    this.sweep?.sweepIfDue();
  }

  private get room(): number {
    return this.sweep ? ROOM_FOR_FLEETS : this.context.room();
  }

  /** Releases all deployments, and notifies other processes. */
  async release(): Promise<void> {
    this.releaseAll();
    await this.context.ask(this.context.processes.delete(this.processId)).catch(() => undefined);
    this.context.notifications.notify(HOSTING);
  }

  /** Resolves when the last call of the released deployments is answered. */
  async drained(): Promise<void> {
    await Promise.all([...this.ending].map(({ whenEnded }) => whenEnded));
  }

  kill(): void {
    for (const served of this.ending) served.kill();
  }

  /** Serves all deployments that this process has claimed, and releases those whose claim it has lost. */
  private async serveClaimed(): Promise<void> {
    const deployments = await this.heartbeat();
    const claimed = new Map(deployments.map((deployment) => [deployment.id, deployment]));
    for (const [id, served] of this.served) {
      const deployment = claimed.get(id);
      if (deployment && !served.hasEnded) served.update(deployment);
      else this.releaseOne(id, served);
    }
    for (const deployment of deployments) if (!this.served.has(deployment.id)) this.serve(deployment);
  }

  /** Renews the lease, and returns the deployments that this process has claimed. */
  private async heartbeat(): Promise<ClaimedDeployment[]> {
    if (this.problem && performance.now() > this.problem.until) this.problem = undefined;
    const { processId: id, problem, context } = this;
    const process = { id, host: this.kind.name, room: this.room, problem: problem?.reason ?? null };
    const { isAny, isAnyFree, claimed } = await context.ask(context.processes.renewLease(process));
    this.isIdle = !isAny;
    this.isAnyFree = isAnyFree;
    return claimed;
  }

  private async claim(): Promise<void> {
    const { context } = this;
    while (this.isAnyFree && !this.problem && this.room > 0 && !context.stopping.aborted) {
      const claimed = await context.ask(context.deployments.claim(this.processId, this.kind.name, this.room));
      if (!claimed) return;
      this.serve(claimed);
    }
  }

  private serve(deployment: ClaimedDeployment): void {
    const { host } = this.kind;
    const served =
      host instanceof FleetHost
        ? new ServedFleet(deployment, host, this.serving)
        : new ServedDeployment(deployment, host, this.serving);
    this.served.set(deployment.id, served);
    served.start();
  }

  private releaseAll(): void {
    for (const [id, served] of this.served) this.releaseOne(id, served);
  }

  private releaseOne(id: Id<'modelDeployment'>, served: Served): void {
    this.served.delete(id);
    this.sweep?.hasten();
    this.ending.add(served);
    void served.whenEnded.then(() => this.ending.delete(served));
    served.stop();
    setTimeout(() => served.kill(), this.context.drainMs).unref();
  }

  /** Releases all claims, because other machines may have the engine that this one lacks. */
  private engineMissing(reason: string): void {
    this.problem = { reason, until: performance.now() + ENGINE_AGAIN_MS };
    this.releaseAll();
    void this.context
      .ask(this.context.deployments.releaseAll(this.processId))
      .catch(() => undefined)
      .finally(() => this.context.notifications.notify(HOSTING));
  }
}
