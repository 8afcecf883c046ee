import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Administrator } from '../../platform/auth/callers.js';
import { mustHaveRight } from '../../platform/auth/permission.guard.js';
import { RetentionPeriods } from '../../platform/retention/retention-periods.js';
import { data } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { ChangeRetention, RetentionView } from './retention.admin.schema.js';
import { TenancyService } from './tenancy.service.js';

@ApiTags('Administration: retention')
@Controller()
export class RetentionAdminController {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly periods: RetentionPeriods,
  ) {}

  @AdminRoute('GET /projects/{projectId}/retention', {
    summary: 'List the retention periods of a project',
    returns: data(z.array(RetentionView)),
  })
  async read(@PathId('project') projectId: Id<'project'>) {
    return this.tenancy.project(projectId).then(({ id }) => this.periods.ofProject(id));
  }

  @AdminRoute('PUT /projects/{projectId}/retention', {
    summary: 'Change the retention periods of a project',
    description:
      'Rows that are older than a shortened period are deleted permanently within the hour. Only an owner changes the period of the audit.',
    returns: data(z.array(RetentionView)),
    errors: [authErrors.permissionDenied],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: ChangeRetention }) { days }: ChangeRetention,
  ) {
    const { id } = await this.tenancy.project(projectId);
    if ('audit' in days) mustHaveRight(actor, 'administer', id);
    return this.periods.change(actor, id, days);
  }
}
