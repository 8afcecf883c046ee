import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { type JobDefinition, jobDefinitions } from './job-definition.js';
import { type JobHandler, jobHandlers } from './job-handler.js';
import { JobMethod, jobMethods } from './job-method.js';

export interface Handled {
  definition: JobDefinition;
  handler: JobHandler<unknown>;
}

/** Knows the handler of each job definition. The process does not start when a definition has no handler, or two. */
@Injectable()
export class JobHandlers implements OnModuleInit {
  private byName = new Map<string, Handled>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    this.byName = jobHandlers.findByName(
      this.discovery,
      ({ name }) => name,
      (definition, handler) => ({ definition, handler }),
    );
    for (const { said: definition, call } of jobMethods.find(this.discovery, this.scanner)) {
      const { name } = definition;
      if (this.byName.has(name)) throw new Error(`Two providers handle the job ${name}`);
      this.byName.set(name, { definition, handler: new JobMethod(call) });
    }
    const orphan = jobDefinitions().find(({ name }) => !this.byName.has(name));
    if (orphan) throw new Error(`The job ${orphan.name} has no handler`);
  }

  /** Returns undefined for a job of a newer version of the service, which waits for a process that knows it. */
  find(name: string): Handled | undefined {
    return this.byName.get(name);
  }
}
