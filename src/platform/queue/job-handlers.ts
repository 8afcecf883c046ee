import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
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
    const classNames = new Map([...this.byName].map(([name, { handler }]) => [name, handler.constructor.name]));
    for (const { said: definition, className, call } of jobMethods.find(this.discovery, this.scanner)) {
      const { name } = definition;
      const other = classNames.get(name);
      if (other) throw new StartError(`${other} and ${className} both handle the job ${name}. Remove one of them.`);
      classNames.set(name, className);
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
