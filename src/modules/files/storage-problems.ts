import type { Id } from '../../kernel/ids.js';
import { FindsProblems, type Problem, ProblemSource } from '../tenancy/problems.port.js';
import { StorageQuota } from './storage-quota.js';

/** Storage counts as full before the first upload is refused. */
const FULL = 0.95;
const GIB = 1024 ** 3;

@FindsProblems()
export class StorageProblems extends ProblemSource {
  constructor(private readonly quota: StorageQuota) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const { heldBytes, limitBytes } = await this.quota.useOf(projectId);
    if (limitBytes === null || heldBytes < limitBytes * FULL) return [];
    const message = `The storage is full: ${inGib(heldBytes)} of ${inGib(limitBytes)} are used.`;
    return [{ kind: 'STORAGE_FULL', message, subject: null }];
  }
}

function inGib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
