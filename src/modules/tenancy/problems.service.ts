import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import type { ProjectsRequest } from './project.list.js';
import { type Problem, PROBLEM_KINDS, type ProblemSource, problemSources } from './problems.port.js';
import { TenancyService } from './tenancy.service.js';

export interface ProblemsOfProject {
  projectId: Id<'project'>;
  /** The name of the project. */
  name: string;
  problems: Problem[];
}

/** Asks each module what is wrong in a project. */
@Injectable()
export class Problems implements OnModuleInit {
  private sources: ProblemSource[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly tenancy: TenancyService,
  ) {}

  onModuleInit(): void {
    this.sources = problemSources.find(this.discovery);
  }

  async ofProject(projectId: Id<'project'>): Promise<Problem[]> {
    await this.tenancy.project(projectId);
    return this.find(projectId);
  }

  /** Lists a page of the projects that the administrator sees, each with its problems. */
  async ofProjects(actor: AdminActor, request: ProjectsRequest): Promise<Page<ProblemsOfProject>> {
    const { items, nextCursor } = await this.tenancy.listProjects(actor, request);
    const found: ProblemsOfProject[] = [];
    for (const { id, name } of items) found.push({ projectId: id, name, problems: await this.find(id) });
    return { items: found, nextCursor };
  }

  private async find(projectId: Id<'project'>): Promise<Problem[]> {
    const found: Problem[] = [];
    // One source after the other, so that the request occupies one connection to the database at a time.
    for (const source of this.sources) found.push(...(await source.problemsOf(projectId)));
    return found.sort((a, b) => PROBLEM_KINDS.indexOf(a.kind) - PROBLEM_KINDS.indexOf(b.kind));
  }
}
