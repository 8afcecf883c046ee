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

/** Finds the provider that does a kind of dock job, and the one that opens exports of a type. */
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

  /** Returns undefined for work that only a newer release knows. Such work waits for a process of that release. */
  find(jobType: DockJobType, action: DockAction): FoundWork | undefined {
    return this.works.get(kindOf(jobType, action));
  }

  exportsOf(jobType: DockJobType): DockExports | undefined {
    return this.exports.get(jobType);
  }
}
