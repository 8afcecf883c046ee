import { Injectable, SetMetadata } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JobDefinition } from './job-definition.js';
import type { JobRun } from './job-run.js';

/** Does one kind of job. It may be called again for the same job, since a process can die at any moment. */
export abstract class JobHandler<Data> {
  /** Ends with `job.finish(effect)`, where the effect and "done" commit together; or with `job.suspend`; or throws. */
  abstract run(job: JobRun<Data>): Promise<void>;

  /** In the transaction that gives the job up: the place to tell whoever waits for it. */
  async gaveUp(_em: EntityManager, _data: Data, _reason: string): Promise<void> {}
}

const HANDLES = 'slipway:handles';

/** Marks the one provider that does this kind of job. */
export function HandlesJob(definition: JobDefinition<never> | JobDefinition): ClassDecorator {
  return (target) => {
    Injectable()(target);
    SetMetadata(HANDLES, definition)(target);
  };
}

export function handledBy(target: object): JobDefinition | undefined {
  return Reflect.getMetadata(HANDLES, target) as JobDefinition | undefined;
}
