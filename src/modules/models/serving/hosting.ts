import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import type { Id } from '../../../kernel/ids.js';
import { Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { Log } from '../../../platform/telemetry/log.js';
import { HOSTING } from '../hosting-process.entity.js';
import { HostingProcessRepository } from '../hosting-process.repository.js';
import { LocalHost } from '../hosts/local.js';
import { type HeldDeployment, ModelDeploymentRepository } from '../model-deployment.repository.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';
import { ModelFiles } from './model-files.js';
import { ReplicaTokens } from './replica-tokens.js';
import { type Ground, Served } from './served.js';

/** Files of models that are no longer deployed go then. */
const SWEEP_EVERY_MS = 300_000;
/** A machine without its engine may get one. */
const ENGINE_AGAIN_MS = 60_000;
/** How long calls may go on when the process is told to stop. */
const DRAIN_MS = 10_000;

/**
 * Serves deployed models: takes up those that nobody serves, and lets go of those that are ended. What is served by whom
 * stands in rows, so when a process dies another one, or its successor, goes on. Serving is no job of the queue: it has
 * no end, needs room for replicas and not a slot, and is taken over sooner (decision 0013).
 */
@Injectable()
export class Hosting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly holder = `h-${randomBase62(22)}`;
  private readonly served = new Map<Id<'modelDeployment'>, Served>();
  /** Those that are let go, until their last call is answered. */
  private readonly ending = new Set<Served>();
  private readonly stopping = new AbortController();
  private readonly ground: Ground;
  private problem: { reason: string; until: number } | undefined;
  private sweptAt = -SWEEP_EVERY_MS;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    // Connections that requests do not use, so that the lease is renewed however busy the others are.
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
    this.ground = {
      holder: this.holder,
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
    if (SLIPWAY_ROLE !== 'api' && MODEL_HOST === 'local') this.looking = this.lookAround();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    for (const [id, served] of this.served) this.release(id, served);
    await this.statements.ask(this.processes.takeOut(this.holder)).catch(() => undefined);
    this.notifications.notify(HOSTING);
    const drained = Promise.all([...this.ending].map(({ over }) => over));
    await Promise.race([drained, wait(DRAIN_MS, undefined, { ref: false })]);
    for (const served of this.ending) served.kill();
  }

  private get room(): number {
    const reserved = [...this.served.values(), ...this.ending].reduce((sum, { reserved: more }) => sum + more, 0);
    return Math.max(0, this.settings.MODEL_HOST_REPLICAS - reserved);
  }

  private async lookAround(): Promise<void> {
    const { signal } = this.stopping;
    try {
      for await (const _ of this.notifications.follow(HOSTING, { signal })) await this.look();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async look(): Promise<void> {
    try {
      await this.serveWhatIsHeld();
      await this.claim();
      await this.sweep();
    } catch (error) {
      this.log.warn({ err: error }, 'Looking after deployed models failed; the next look tries again');
    }
  }

  /** What this process holds, it serves; what it holds no more, it lets go. */
  private async serveWhatIsHeld(): Promise<void> {
    const deployments = await this.signOfLife();
    const held = new Map(deployments.map((deployment) => [deployment.id, deployment]));
    for (const [id, served] of this.served) {
      const deployment = held.get(id);
      if (deployment && !served.isOver) served.heldAs(deployment);
      else this.release(id, served);
    }
    for (const deployment of deployments) if (!this.served.has(deployment.id)) this.serve(deployment);
  }

  /** Renews the lease, and answers with what is held by it. */
  private async signOfLife(): Promise<HeldDeployment[]> {
    if (this.problem && performance.now() > this.problem.until) this.problem = undefined;
    const { holder: id, room, problem } = this;
    const process = { id, host: this.local.name, room, problem: problem?.reason ?? null };
    const sign = [this.processes.announce(process), this.deployments.heldBy(id)] as const;
    const [, held] = await this.statements.askAll(sign);
    return held;
  }

  private async claim(): Promise<void> {
    while (!this.problem && this.room > 0 && !this.stopping.signal.aborted) {
      const claimed = await this.statements.ask(this.deployments.claim(this.holder, this.local.name, this.room));
      if (!claimed) return;
      this.serve(claimed);
    }
  }

  /** Files are each machine's own, so this is no job of the whole installation. */
  private async sweep(): Promise<void> {
    if (performance.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    await this.files.keepOnly(await this.statements.ask(this.deployments.filesInUse()));
    this.sweptAt = performance.now();
  }

  private serve(deployment: HeldDeployment): void {
    const served = new Served(deployment, this.ground);
    this.served.set(deployment.id, served);
    served.start();
  }

  private release(id: Id<'modelDeployment'>, served: Served): void {
    this.served.delete(id);
    this.ending.add(served);
    void served.over.then(() => this.ending.delete(served));
    served.stop();
    setTimeout(() => served.kill(), this.settings.MODEL_TIMEOUT_SECONDS * 1000).unref();
  }

  /** Others may have the engine that this machine lacks. */
  private engineMissing(reason: string): void {
    this.problem = { reason, until: performance.now() + ENGINE_AGAIN_MS };
    for (const [id, served] of this.served) this.release(id, served);
    void this.statements
      .ask(this.deployments.release(this.holder))
      .catch(() => undefined)
      .finally(() => this.notifications.notify(HOSTING));
  }
}
