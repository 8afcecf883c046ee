import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { namesOfBoth } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { type JobDefinition, jobDefinitions } from './job-definition.js';
import { type JobHandler, jobHandlers } from './job-handler.js';
import { JobMethod, jobMethods } from './job-method.js';

export interface Handled {
  definition: JobDefinition;
  handler: JobHandler<unknown>;
}

/** Whether a loaded class or method is marked as the handler of this job. */
export function isHandled(job: string): boolean {
  return jobHandlers.get(job) !== undefined || jobMethods.all().some(({ name }) => name === job);
}

/** Knows the handler of each job definition. The service does not start when a definition has no handler, or two. */
@Injectable()
export class JobHandlers {
  private byName = new Map<string, Handled>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Finds the handler of each job, and refuses two. */
  findHandlers(): void {
    this.byName = jobHandlers.find(this.discovery, (definition, handler) => ({ definition, handler }));
    const classes = new Map<string, { readonly name: string }>();
    for (const [name, { handler }] of this.byName) classes.set(name, handler.constructor);
    for (const { said: definition, by, call } of jobMethods.find(this.discovery, this.scanner)) {
      const { name } = definition;
      const other = classes.get(name);
      if (other) throw new StartError(`${namesOfBoth(other, by)} both handle the job ${name}. Remove one of them.`);
      classes.set(name, by);
      this.byName.set(name, { definition, handler: new JobMethod(call) });
    }
    // A class that overrides a marked method is provided, but its own method bears no mark.
    const orphan = jobDefinitions().find(({ name }) => !this.byName.has(name));
    if (orphan) throw new StartError(`No module provides a class that handles the job ${orphan.name}.`);
  }

  /** Returns undefined for a job of a newer version of the service, which waits for a process that knows it. */
  find(name: string): Handled | undefined {
    return this.byName.get(name);
  }
}
