import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type JobDefinition, jobDefinitions } from './job-definition.js';
import { handledBy, type JobHandler } from './job-handler.js';

export interface Handled {
  definition: JobDefinition;
  handler: JobHandler<unknown>;
}

/** Which handler does which job. The process does not start when a job has none, or two. */
@Injectable()
export class JobHandlers implements OnModuleInit {
  private readonly byName = new Map<string, Handled>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders() as { instance: JobHandler<unknown> | undefined }[]) {
      const definition = instance && handledBy(instance.constructor);
      if (!definition) continue;
      if (this.byName.has(definition.name)) throw new Error(`The job ${definition.name} has two handlers`);
      this.byName.set(definition.name, { definition, handler: instance });
    }
    const orphan = jobDefinitions().find(({ name }) => !this.byName.has(name));
    if (orphan) throw new Error(`The job ${orphan.name} has no handler`);
  }

  /** Nothing for a job of a newer version: it waits for a process that knows it. */
  find(name: string): Handled | undefined {
    return this.byName.get(name);
  }
}
