import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import type { Id } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { Log } from '../../../platform/telemetry/log.js';
import { HOSTING } from '../hosting-process.entity.js';
import { HostingProcessRepository } from '../hosting-process.repository.js';
import { LocalHost } from '../hosts/local.js';
import { type ClaimedDeployment, ModelDeploymentRepository } from '../model-deployment.repository.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';
import { ModelFiles } from './model-files.js';
import { ReplicaTokens } from './replica-tokens.js';
import { ServedDeployment, type ServingContext } from './served-deployment.js';

/** The interval at which the files of models that are no longer deployed are deleted. */
const SWEEP_EVERY_MS = 300_000;
/** A missing engine is looked for again after this time, because it may have been installed. */
const ENGINE_AGAIN_MS = MINUTE_MS;
/** The time that calls have to end after the process is asked to stop. */
const DRAIN_MS = 10_000;

/**
 * Serves deployed models: claims deployments that no live process has claimed, and releases those that have ended. Rows
 * say which process serves which deployment, so another process continues when one dies. Serving is no job of the
 * queue: it has no end, needs room for replicas instead of a slot, and is taken over sooner (decision 0013).
 */
@Injectable()
export class Hosting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly processId = `h-${randomBase62(22)}`;
  private readonly served = new Map<Id<'modelDeployment'>, ServedDeployment>();
  /** Deployments that this process no longer serves, until their last call is answered. */
  private readonly ending = new Set<ServedDeployment>();
  private readonly stopping = new AbortController();
  private readonly context: ServingContext;
  private problem: { reason: string; until: number } | undefined;
  /** Whether the installation had no deployment to serve at the last look. */
  private isIdle = false;
  private sweptAt = -SWEEP_EVERY_MS;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    // Requests do not use these connections, so the lease is renewed in time however busy the others are.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly deployments: ModelDeploymentRepository,
    replicas: ModelReplicaRepository,
    private readonly processes: HostingProcessRepository,
    tokens: ReplicaTokens,
    private readonly files: ModelFiles,
    private readonly local: LocalHost,
    private readonly settings: Settings,
    database: Database,
    private readonly notifications: Notifications,
    private readonly log: Log,
  ) {
    this.context = {
      processId: this.processId,
      host: local,
      ask: (statement) => statements.ask(statement),
      deployments,
      replicas,
      tokens,
      files,
      notifications,
      log,
      apart: (work) => database.apart(work),
      hasRoom: () => this.room > 0,
      engineMissing: (reason) => this.engineMissing(reason),
    };
  }

  onApplicationBootstrap(): void {
    const { SLIPWAY_ROLE, MODEL_HOST } = this.settings;
    if (SLIPWAY_ROLE !== 'api' && MODEL_HOST === 'local') this.loop = this.runLoop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    for (const [id, served] of this.served) this.release(id, served);
    await this.statements.ask(this.processes.delete(this.processId)).catch(() => undefined);
    this.notifications.notify(HOSTING);
    const drained = Promise.all([...this.ending].map(({ whenEnded }) => whenEnded));
    await Promise.race([drained, wait(DRAIN_MS, undefined, { ref: false })]);
    for (const served of this.ending) served.kill();
  }

  private get room(): number {
    const reserved = [...this.served.values(), ...this.ending].reduce((sum, { reserved: more }) => sum + more, 0);
    return Math.max(0, this.settings.MODEL_HOST_REPLICAS - reserved);
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stopping;
    try {
      const mustLookOften = () => !this.isIdle;
      for await (const _ of this.notifications.follow(HOSTING, { signal, mustLookOften })) await this.reconcile();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async reconcile(): Promise<void> {
    try {
      await this.serveClaimed();
      await this.claim();
      await this.sweep();
    } catch (error) {
      this.isIdle = false;
      this.log.warn({ err: error }, 'Deployed models could not be checked; the next check tries again');
    }
  }

  /** Serves all deployments that this process has claimed, and releases those whose claim it has lost. */
  private async serveClaimed(): Promise<void> {
    const deployments = await this.heartbeat();
    const claimed = new Map(deployments.map((deployment) => [deployment.id, deployment]));
    for (const [id, served] of this.served) {
      const deployment = claimed.get(id);
      if (deployment && !served.hasEnded) served.update(deployment);
      else this.release(id, served);
    }
    for (const deployment of deployments) if (!this.served.has(deployment.id)) this.serve(deployment);
  }

  /** Renews the lease, and returns the deployments that this process has claimed. */
  private async heartbeat(): Promise<ClaimedDeployment[]> {
    if (this.problem && performance.now() > this.problem.until) this.problem = undefined;
    const { processId: id, room, problem } = this;
    const process = { id, host: this.local.name, room, problem: problem?.reason ?? null };
    const [isAnyWanted, claimed] = await this.statements.askAll([
      this.processes.renewLease(process),
      this.deployments.claimedBy(id),
    ] as const);
    this.isIdle = !isAnyWanted;
    return claimed;
  }

  private async claim(): Promise<void> {
    while (!this.isIdle && !this.problem && this.room > 0 && !this.stopping.signal.aborted) {
      const claimed = await this.statements.ask(this.deployments.claim(this.processId, this.local.name, this.room));
      if (!claimed) return;
      this.serve(claimed);
    }
  }

  /** Deletes files that no deployment needs. Each machine has its own files, so this is no job of the installation. */
  private async sweep(): Promise<void> {
    if (performance.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    await this.files.keepOnly(await this.statements.ask(this.deployments.filesInUse()));
    this.sweptAt = performance.now();
  }

  private serve(deployment: ClaimedDeployment): void {
    const served = new ServedDeployment(deployment, this.context);
    this.served.set(deployment.id, served);
    served.start();
  }

  private release(id: Id<'modelDeployment'>, served: ServedDeployment): void {
    this.served.delete(id);
    this.ending.add(served);
    void served.whenEnded.then(() => this.ending.delete(served));
    served.stop();
    setTimeout(() => served.kill(), this.settings.MODEL_TIMEOUT_SECONDS * 1000).unref();
  }

  /** Releases all claims, because other machines may have the engine that this one lacks. */
  private engineMissing(reason: string): void {
    this.problem = { reason, until: performance.now() + ENGINE_AGAIN_MS };
    for (const [id, served] of this.served) this.release(id, served);
    void this.statements
      .ask(this.deployments.releaseAll(this.processId))
      .catch(() => undefined)
      .finally(() => this.notifications.notify(HOSTING));
  }
}
