import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { dockJobList, type DockJobsRequest } from './dock-job.list.js';
import { dockErrors } from './dock.errors.js';
import { DockJobView } from './dock.schema.js';
import { Dock } from './dock.service.js';

@ApiTags('Administration: dock jobs')
@Controller()
export class DockAdminController {
  constructor(private readonly dock: Dock) {}

  @AdminRoute('GET /projects/{projectId}/dock-jobs', {
    summary: 'List the dock jobs of a project, by default newest first',
    returns: page(DockJobView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: dockJobList.query }) query: DockJobsRequest,
  ) {
    return mapPage(await this.dock.list(projectId, query), (job) => this.dock.view(job));
  }

  @AdminRoute('GET /projects/{projectId}/dock-jobs/{dockStatusId}', {
    summary: 'Read a dock job',
    returns: data(DockJobView),
    errors: [dockErrors.dockJobNotFound],
  })
  async read(
    @PathId('project') projectId: Id<'project'>,
    @PathId('dockJob', 'dockStatusId') dockStatusId: Id<'dockJob'>,
  ) {
    return this.dock.view(await this.dock.readForAdministration(projectId, dockStatusId));
  }

  @AdminRoute('POST /projects/{projectId}/dock-jobs/{dockStatusId}/cancel', {
    summary: 'Cancel a dock job that has not ended',
    description: 'The job becomes FAILED with JOB_CANCELLED, and its tool or model returns to its previous state.',
    returns: data(DockJobView),
    takesIdempotencyKey: false,
    errors: [dockErrors.dockJobNotFound, dockErrors.dockJobEnded],
  })
  async cancel(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('dockJob', 'dockStatusId') dockStatusId: Id<'dockJob'>,
  ) {
    return this.dock.view(await this.dock.cancel(actor, projectId, dockStatusId));
  }
}
