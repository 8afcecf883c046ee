import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { Log } from '../../../platform/telemetry/log.js';
import { HOSTING } from '../hosting-process.entity.js';
import { HostingProcessRepository } from '../hosting-process.repository.js';
import { ModelHosts } from '../hosts/model-hosts.js';
import { ModelDeploymentRepository } from '../model-deployment.repository.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';
import { ActiveHost } from './active-host.js';
import { FleetPace } from './fleet-pace.js';
import { ModelFiles } from './model-files.js';
import { ReplicaTokens } from './replica-tokens.js';
import type { HostingContext } from './serving-context.js';

/** The interval at which the files of models that are no longer deployed are deleted. */
const SWEEP_EVERY_MS = 300_000;
/** The time that calls have to end after the process is asked to stop. */
const DRAIN_MS = 10_000;

/**
 * Serves deployed models: each kind of host claims deployments that no live process has claimed, and releases those that
 * have ended. Rows say which process serves which deployment, so another process continues when one dies. Serving is no
 * job of the queue: it has no end, needs room for replicas instead of a slot, and is taken over sooner (decision 0013).
 */
@Injectable()
export class Hosting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly context: HostingContext;
  private hosts: ActiveHost[] = [];
  private hasFailed = false;
  private sweptAt = -SWEEP_EVERY_MS;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    // Requests do not use these connections, so the lease is renewed in time however busy the others are.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly deployments: ModelDeploymentRepository,
    replicas: ModelReplicaRepository,
    processes: HostingProcessRepository,
    tokens: ReplicaTokens,
    private readonly files: ModelFiles,
    private readonly kinds: ModelHosts,
    private readonly settings: Settings,
    database: Database,
    private readonly notifications: Notifications,
    private readonly log: Log,
    fleetPace: FleetPace,
  ) {
    this.context = {
      ask: (statement) => statements.ask(statement),
      deployments,
      replicas,
      processes,
      tokens,
      files,
      notifications,
      log,
      fleetPace,
      drainMs: settings.MODEL_TIMEOUT_SECONDS * 1000,
      stopping: this.stopping.signal,
      apart: (work) => database.apart(work),
      room: () => this.room,
    };
  }

  onApplicationBootstrap(): void {
    const { SLIPWAY_ROLE, MODEL_HOST } = this.settings;
    if (SLIPWAY_ROLE === 'api' || MODEL_HOST === 'none') return;
    this.hosts = this.kinds.all().map((kind) => new ActiveHost(kind, this.context));
    this.loop = this.runLoop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.hosts.map((host) => host.release()));
    const drained = Promise.all(this.hosts.map((host) => host.drained()));
    await Promise.race([drained, wait(DRAIN_MS, undefined, { ref: false })]);
    for (const host of this.hosts) host.kill();
  }

  /** The hosts of a process share its room. */
  private get room(): number {
    const reserved = this.hosts.reduce((sum, host) => sum + host.reserved, 0);
    return Math.max(0, this.settings.MODEL_HOST_REPLICAS - reserved);
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stopping;
    try {
      const mustLookOften = () => this.hasFailed || this.hosts.some(({ isIdle }) => !isIdle);
      for await (const _ of this.notifications.follow(HOSTING, { signal, mustLookOften })) await this.reconcile();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async reconcile(): Promise<void> {
    try {
      for (const host of this.hosts) await host.reconcile();
      await this.sweep();
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      this.log.warn({ err: error }, 'Deployed models could not be checked; the next check tries again');
    }
  }

  /** Deletes files that no deployment needs. Each machine has its own files, so this is no job of the installation. */
  private async sweep(): Promise<void> {
    if (performance.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    await this.files.keepOnly(await this.statements.ask(this.deployments.filesInUse()));
    this.sweptAt = performance.now();
  }
}
