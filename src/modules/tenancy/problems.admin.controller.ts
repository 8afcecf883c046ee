import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import { exampleId, type Id } from '../../kernel/ids.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { projectList, type ProjectsRequest } from './project.list.js';
import { type Problem, PROBLEM_KINDS } from './problems.port.js';
import { Problems } from './problems.service.js';
import { ProjectView } from './tenancy.admin.schema.js';

const ProblemView = z
  .object({
    kind: z.enum(PROBLEM_KINDS).meta({ examples: ['RECEIVER_DISABLED'] }),
    message: z
      .string()
      .describe('A sentence for people.')
      .meta({ examples: ['The receiver “Web chat” is disabled. An administrator disabled it.'] }),
    subject: z
      .string()
      .nullable()
      .describe('The id of what has the problem, or the name of a model at its provider or of a job.')
      .meta({ examples: [exampleId('subscription')] }),
  })
  .meta({ id: 'Problem' }) satisfies z.ZodType<Problem>;

const ProblemsOfProjectView = ProjectView.pick({ projectId: true, name: true })
  .extend({ problems: z.array(ProblemView) })
  .meta({ id: 'ProblemsOfProject' });

@ApiTags('Administration: projects and apps')
@Controller()
export class ProblemsAdminController {
  constructor(private readonly problems: Problems) {}

  @AdminRoute('GET /projects/{projectId}/problems', {
    summary: 'List what is wrong in a project now',
    description:
      'Failed calls of the last hour, receivers that fail or get no callbacks, models that are not served, failed jobs and full storage. The list is empty while all is well.',
    returns: data(z.array(ProblemView)),
  })
  async list(@PathId('project') projectId: Id<'project'>) {
    return this.problems.ofProject(projectId);
  }

  @AdminRoute('GET /problems', {
    summary: 'List all projects with what is wrong in them now, by default oldest project first',
    description: 'A project in which all is well has an empty list of problems.',
    rightIn: 'anyProject',
    returns: page(ProblemsOfProjectView),
  })
  async listAll(@Administrator() actor: AdminActor, @Query({ schema: projectList.query }) query: ProjectsRequest) {
    return this.problems.ofProjects(actor, query);
  }
}
