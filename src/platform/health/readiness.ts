import { Injectable, type OnModuleInit, ServiceUnavailableException } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { HealthCheckService, type HealthIndicatorResult } from '@nestjs/terminus';
import type { z } from 'zod';
import { Stopping } from '../http/stopping.js';
import { type ReadinessCheck, type ReadinessCheckDescription, readinessChecks } from '../readiness/readiness-check.js';
import { httpErrors } from '../route/http.errors.js';
import { Log } from '../telemetry/log.js';
import { Finding, type Live, Ready } from './health.schema.js';

const CHECK_WITHIN_MS = 2_000;
const MALFORMED = 'has a check whose answer is malformed';
const STOPPING = { status: 'down', message: 'is stopping' };

@Injectable()
export class Readiness implements OnModuleInit {
  private checks: (() => Promise<HealthIndicatorResult>)[] = [];
  /** The checks whose malformed answers the log has. */
  private readonly malformed = new Set<string>();

  constructor(
    private readonly health: HealthCheckService,
    private readonly discovery: DiscoveryService,
    private readonly stopping: Stopping,
    private readonly log: Log,
  ) {}

  /** The checks stand in the order of the modules that have them, those of plugins last. Terminus moves those that are down. */
  onModuleInit(): void {
    const toCheck = (description: ReadinessCheckDescription, check: ReadinessCheck) => () =>
      this.resultOf(description, check);
    this.checks = [...readinessChecks.find(this.discovery, toCheck).values()];
  }

  /** Balancers that look only at the liveness also send no more requests to a process that stops. */
  checkAlive(): z.infer<typeof Live> {
    this.refuseWhenStopping();
    return { status: 'ok' };
  }

  async check(): Promise<z.infer<typeof Ready>> {
    this.refuseWhenStopping();
    try {
      const { status, details } = await this.health.check(this.checks);
      return Ready.parse({ status, checks: details });
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { status, details } = error.getResponse() as { status: string; details: object };
      // Terminus also learns that the process is stopping, perhaps while the checks run.
      throw httpErrors.notReady({ details: { checks: status === 'shutting_down' ? { process: STOPPING } : details } });
    }
  }

  private refuseWhenStopping(): void {
    if (this.stopping.hasBegun) throw httpErrors.notReady({ details: { checks: { process: STOPPING } } });
  }

  private async resultOf(
    { name, failure, isDispensable = false }: ReadinessCheckDescription,
    check: ReadinessCheck,
  ): Promise<HealthIndicatorResult> {
    const failed = (message: string) => ({ [name]: { status: isDispensable ? 'degraded' : 'down', message } as const });
    try {
      const answer = await inTime((signal) => check.check(signal));
      if (answer === null) return {};
      const finding = Finding.safeParse(answer);
      if (finding.success) return { [name]: finding.data };
      this.logMalformed(name, finding.error);
      return failed(MALFORMED);
    } catch (error) {
      // Balancers ask every second, and the answer says it too.
      this.log.debug({ err: error, check: name }, 'A check of the readiness failed');
      return failed(failure);
    }
  }

  /** Warns once of each check, because balancers ask every second. */
  private logMalformed(check: string, { issues }: z.ZodError): void {
    const level = this.malformed.has(check) ? 'debug' : 'warn';
    this.malformed.add(check);
    this.log[level]({ check, issues }, 'A check of the readiness has a malformed answer');
  }
}

async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.abort();
    late.reject(new Error(`The check took longer than ${CHECK_WITHIN_MS} ms`));
  }, CHECK_WITHIN_MS);
  try {
    return await Promise.race([work(timeout.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
