import { follow, readJob, waitFor, type DockJobState, type WaitOptions } from '../dock-job.js';
import { rowsOf } from '../lists.js';
import type { Place, ProjectOptions } from '../place.js';
import type { operations } from '../schema.js';
import type { CallOptions, Transport } from '../transport.js';

type ListQuery = Omit<NonNullable<operations['DockAdmin_list']['parameters']['query']>, 'cursor'>;

/** Imports, exports, deployments and undeployments. */
export class Jobs {
  constructor(
    private readonly http: Transport,
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  read(dockStatusId: string, options?: CallOptions): Promise<DockJobState> {
    return readJob(this.http, dockStatusId, options);
  }

  /** Yields the states of a job until it has ended. */
  follow(dockStatusId: string, options: CallOptions = {}): AsyncGenerator<DockJobState, void, undefined> {
    return follow(this.http, dockStatusId, options);
  }

  /** Waits until a job has ended. Throws `JobFailed` if it has failed. */
  wait(dockStatusId: string, { onProgress, ...options }: WaitOptions = {}): Promise<DockJobState> {
    return waitFor(this.http, dockStatusId, options, (progress) => onProgress?.(progress));
  }

  /** Yields the jobs of the project, the newest first. Needs an administration key. */
  async *list(query: ListQuery = {}, options: ProjectOptions & CallOptions = {}) {
    const path = { projectId: await this.place.project(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET('/api/admin/v1/projects/{projectId}/dock-jobs', {
        params: { path, query: { ...query, cursor } },
        ...this.admin.with(options),
      }),
    );
  }
}
