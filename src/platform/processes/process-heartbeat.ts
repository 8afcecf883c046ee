import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomBase62 } from '../../kernel/base62.js';
import { packageVersion } from '../config/project-file.js';
import { Settings } from '../config/settings.js';
import { OutageLog } from '../database/outage-log.js';
import { Statements } from '../database/statements.js';
import { Log } from '../telemetry/log.js';
import type { ServedQueue } from './service-process.entity.js';
import { type Beating, ServiceProcessRepository } from './service-process.repository.js';

const EVERY_MS = 30_000;

/** Keeps the row of this process from its start to its end, so that administrators see which processes run. */
@Injectable()
export class ProcessHeartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly process: Beating;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    settings: Settings,
    private readonly statements: Statements,
    private readonly processes: ServiceProcessRepository,
    private readonly outages: OutageLog,
    private readonly log: Log,
  ) {
    this.process = {
      id: randomBase62(22),
      name: `${hostname()}:${process.pid}`,
      role: settings.SLIPWAY_ROLE,
      queues: servedBy(settings),
      version: packageVersion(),
    };
  }

  onApplicationBootstrap(): void {
    this.beat();
    this.timer = setInterval(() => this.beat(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    // A heartbeat that arrives after the deletion would bring the row back.
    await this.beating;
    await this.statements.ask(this.processes.delete(this.process.id)).catch(() => undefined);
  }

  private beat(): void {
    this.beating = this.statements.ask(this.processes.beat(this.process)).catch((error: unknown) => {
      if (!this.outages.note(error)) this.log.warn({ err: error }, 'The heartbeat of the process could not be written');
    });
  }
}

function servedBy({ SLIPWAY_ROLE, SLIPWAY_QUEUES }: Settings): ServedQueue[] {
  if (SLIPWAY_ROLE === 'api') return [];
  return [...SLIPWAY_QUEUES].map(([queue, limit]) => ({ queue, limit: limit === Infinity ? null : limit }));
}
