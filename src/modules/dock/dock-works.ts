import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type DockAction,
  type DockExports,
  type DockJobType,
  type DockWork,
  type DockWorkOptions,
  dockWorkOf,
  exportsGivenBy,
} from './dock.port.js';

interface FoundWork {
  readonly options: DockWorkOptions;
  readonly work: DockWork<unknown>;
}

/** Who does which kind of dock job, and who opens which exports, found among all providers. */
@Injectable()
export class DockWorks implements OnModuleInit {
  private readonly works = new Map<string, FoundWork>();
  private readonly exports = new Map<DockJobType, DockExports>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders() as { instance: object | undefined }[]) {
      if (!instance?.constructor) continue;
      const options = dockWorkOf(instance.constructor);
      if (options) this.add(options, instance as DockWork<unknown>);
      const jobType = exportsGivenBy(instance.constructor);
      if (jobType) this.exports.set(jobType, instance as DockExports);
    }
  }

  /** Nothing for work of a newer version: it waits for a process that knows it. */
  find(jobType: DockJobType, action: DockAction): FoundWork | undefined {
    return this.works.get(`${jobType} ${action}`);
  }

  exportsOf(jobType: DockJobType): DockExports | undefined {
    return this.exports.get(jobType);
  }

  private add(options: DockWorkOptions, work: DockWork<unknown>): void {
    const name = `${options.jobType} ${options.action}`;
    if (this.works.has(name)) throw new Error(`Two providers do dock jobs of the kind ${name}`);
    this.works.set(name, { options, work });
  }
}
