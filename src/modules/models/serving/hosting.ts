import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import { Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { Notices } from '../../../platform/redis/notices.js';
import { Log } from '../../../platform/telemetry/log.js';
import { HostingProcessRepository } from '../hosting-process.repository.js';
import { LocalHost } from '../hosts/local.js';
import { ModelDeploymentRepository } from '../model-deployment.repository.js';
import { ModelReplicaRepository } from '../model-replica.repository.js';
import { ModelFiles } from './model-files.js';
import { ReplicaTokens } from './replica-tokens.js';
import { type Ground, Served } from './served.js';

const LOOK_EVERY_MS = 1_000;
const ANNOUNCE_EVERY_MS = 3_000;
/** Files of models that are no longer deployed go then. */
const SWEEP_EVERY_MS = 300_000;
/** A machine without its engine may get one. */
const ENGINE_AGAIN_MS = 60_000;
/** How long calls may go on when the process is told to stop. */
const DRAIN_MS = 10_000;

/**
 * Serves deployed models: takes up those that nobody serves, and lets go of those that are ended. What is served by whom
 * stands in rows with leases, so when a process dies another one, or its successor, goes on.
 */
@Injectable()
export class Hosting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly holder = `h-${randomBase62(22)}`;
  private readonly served = new Map<string, Served>();
  /** Those that are let go, until their last call is answered. */
  private readonly ending = new Set<Served>();
  private readonly stopping = new AbortController();
  private readonly ground: Ground;
  private problem: { reason: string; until: number } | undefined;
  private announced = { said: '', at: 0 };
  private looking: Promise<void> = Promise.resolve();
  private wake = new AbortController();

  constructor(
    // Connections that requests do not use, so that leases are renewed however busy the others are.
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly deployments: ModelDeploymentRepository,
    private readonly replicas: ModelReplicaRepository,
    private readonly processes: HostingProcessRepository,
    tokens: ReplicaTokens,
    private readonly files: ModelFiles,
    private readonly local: LocalHost,
    private readonly settings: Settings,
    database: Database,
    notices: Notices,
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
      notices,
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
    this.wake.abort();
    await this.looking;
    for (const served of this.served.values()) this.letGo(served);
    this.served.clear();
    const goodbye = [this.deployments.release(this.holder), this.processes.takeOut(this.holder)];
    await Promise.all(goodbye.map((statement) => this.statements.ask(statement))).catch(() => undefined);
    const deadline = performance.now() + DRAIN_MS;
    while (this.ending.size > 0 && performance.now() < deadline) {
      this.forget();
      await wait(20, undefined, { ref: false });
    }
    for (const served of this.ending) served.kill();
    await this.statements.ask(this.replicas.takeOutOf(this.holder)).catch(() => undefined);
  }

  /** Something has been deployed: no need to wait for the next look. */
  kick(): void {
    this.wake.abort();
  }

  private get room(): number {
    const reserved = [...this.served.values(), ...this.ending].reduce((sum, { reserved: more }) => sum + more, 0);
    return Math.max(0, this.settings.MODEL_HOST_REPLICAS - reserved);
  }

  private async lookAround(): Promise<void> {
    let sweptAt = -SWEEP_EVERY_MS;
    while (!this.stopping.signal.aborted) {
      this.wake = new AbortController();
      try {
        await this.look();
        if (performance.now() - sweptAt >= SWEEP_EVERY_MS) {
          await this.files.keepOnly(await this.statements.ask(this.deployments.filesInUse()));
          sweptAt = performance.now();
        }
      } catch (error) {
        this.log.warn({ err: error }, 'Looking after deployed models failed; the next look tries again');
      }
      await wait(LOOK_EVERY_MS, undefined, { ref: false, signal: this.wake.signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    if (this.problem && performance.now() > this.problem.until) this.problem = undefined;
    await this.announce();
    const renewed = await this.statements.ask(this.deployments.renew(this.holder));
    const held = new Map(renewed.map((deployment) => [deployment.id as string, deployment]));
    for (const [id, served] of this.served) {
      const deployment = held.get(id);
      if (deployment && !served.isOver) served.heldAs(deployment);
      else {
        this.served.delete(id);
        this.letGo(served);
      }
    }
    for (const deployment of held.values())
      if (!this.served.has(deployment.id)) this.serve(new Served(deployment, this.ground), deployment.id);
    await this.claim();
    this.forget();
  }

  /** When it changes, and often enough that it is believed. */
  private async announce(): Promise<void> {
    const problem = this.problem?.reason ?? null;
    const said = `${this.room} ${problem}`;
    if (said === this.announced.said && performance.now() - this.announced.at < ANNOUNCE_EVERY_MS) return;
    const { holder, room } = this;
    await this.statements.ask(this.processes.announce({ holder, host: this.local.name, room, problem }));
    this.announced = { said, at: performance.now() };
  }

  private async claim(): Promise<void> {
    while (!this.problem && this.room > 0 && !this.stopping.signal.aborted) {
      const claimed = await this.statements.ask(this.deployments.claim(this.holder, this.local.name, this.room));
      if (!claimed) return;
      this.serve(new Served(claimed, this.ground), claimed.id);
    }
  }

  private serve(served: Served, id: string): void {
    this.served.set(id, served);
    served.start();
  }

  private letGo(served: Served): void {
    served.stop();
    this.ending.add(served);
    setTimeout(() => served.kill(), this.settings.MODEL_TIMEOUT_SECONDS * 1000).unref();
  }

  private forget(): void {
    for (const served of this.ending) if (served.isOver) this.ending.delete(served);
  }

  /** Others may have the engine that this machine lacks. */
  private engineMissing(reason: string): void {
    this.problem = { reason, until: performance.now() + ENGINE_AGAIN_MS };
    for (const [id, served] of this.served) {
      this.served.delete(id);
      this.letGo(served);
    }
    void this.statements
      .ask(this.deployments.release(this.holder))
      .catch(() => undefined)
      .finally(() => this.kick());
  }
}
