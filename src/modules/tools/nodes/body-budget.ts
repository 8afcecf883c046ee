import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { waiting } from '../../../kernel/waiting.js';
import { NodeFailure } from '../node-kind.port.js';

const MIB = 1024 * 1024;
/** The limit of one project. It is enough for four bodies of the largest size. */
const MAX_BYTES = 64 * MIB;

interface BodyTime {
  timeoutMs: number;
  signal: AbortSignal;
}

interface WaitingBody {
  bytes: number;
  begin: () => void;
}

interface ProjectBytes {
  taken: number;
  waiting: WaitingBody[];
}

/**
 * Limits the bytes of request bodies that each project has in the memory of this process. A body takes all of its bytes
 * at once and before it is read, so that no two of them wait for each other. Bodies of one project begin in order, and
 * those of other projects do not wait for them.
 */
@Injectable()
export class BodyBudget {
  private readonly projects = new Map<Id<'project'>, ProjectBytes>();

  /** Does the work as soon as there is room for its body. Fails if there is none in time. */
  async within<T>(projectId: Id<'project'>, bytes: number, time: BodyTime, work: () => Promise<T>): Promise<T> {
    if (bytes === 0) return work();
    const project = this.projects.get(projectId) ?? { taken: 0, waiting: [] };
    this.projects.set(projectId, project);
    try {
      if (project.waiting.length > 0 || !take(project, bytes)) await untilRoom(project, bytes, time);
      try {
        return await work();
      } finally {
        project.taken -= bytes;
        admit(project);
      }
    } finally {
      if (project.taken === 0 && project.waiting.length === 0) this.projects.delete(projectId);
    }
  }
}

function take(project: ProjectBytes, bytes: number): boolean {
  if (project.taken + bytes > MAX_BYTES) return false;
  project.taken += bytes;
  return true;
}

function admit(project: ProjectBytes): void {
  while (project.waiting[0] && take(project, project.waiting[0].bytes)) project.waiting.shift()!.begin();
}

async function untilRoom(project: ProjectBytes, bytes: number, { timeoutMs, signal }: BodyTime): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const body: WaitingBody = { bytes, begin: resolve };
  const late = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, late]);
  const stop = () => {
    const position = project.waiting.indexOf(body);
    // The body has just begun, and ends like any other.
    if (position === -1) return;
    project.waiting.splice(position, 1);
    admit(project);
    reject(signal.aborted ? (signal.reason as Error) : usedUp());
  };
  signal.throwIfAborted();
  project.waiting.push(body);
  ended.addEventListener('abort', stop, { once: true });
  await waiting(() => promise).finally(() => ended.removeEventListener('abort', stop));
}

function usedUp(): NodeFailure {
  const message = `Other requests of the project have ${MAX_BYTES} bytes of bodies in memory, and none of them ended within the timeoutMs of the node.`;
  return new NodeFailure('BODIES_TOO_LARGE_TOGETHER', message);
}
