import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type DockAction,
  type DockExports,
  dockExports,
  type DockJobType,
  type DockWork,
  type DockWorkOptions,
  dockWorks,
} from './dock.port.js';

export interface FoundWork {
  options: DockWorkOptions;
  work: DockWork<unknown>;
}

const kindOf = (jobType: DockJobType, action: DockAction) => `${jobType} ${action}`;

/** Who does which kind of dock job, and who opens which exports. */
@Injectable()
export class DockWorks implements OnModuleInit {
  private works = new Map<string, FoundWork>();
  private exports = new Map<string, DockExports>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.works = dockWorks.findByName(
      this.discovery,
      ({ jobType, action }) => kindOf(jobType, action),
      (options, work) => ({ options, work }),
    );
    this.exports = dockExports.findByName(
      this.discovery,
      (jobType) => jobType,
      (_, exports) => exports,
    );
  }

  /** Nothing for work of a newer version: it waits for a process that knows it. */
  find(jobType: DockJobType, action: DockAction): FoundWork | undefined {
    return this.works.get(kindOf(jobType, action));
  }

  exportsOf(jobType: DockJobType): DockExports | undefined {
    return this.exports.get(jobType);
  }
}
