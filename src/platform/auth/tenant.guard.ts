import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import { toId } from '../../kernel/ids.js';
import { hasRight } from '../../kernel/roles.js';
import { currentRequest, type RequestContext } from '../context/request-context.js';
import { ProjectsOfRows } from '../database/in-project.js';
import { pathIdsOf } from '../route/path-id.js';
import { routeOf } from '../route/route.js';
import { authErrors } from './auth.errors.js';
import { firstIdIn } from './first-id.js';

/**
 * The second guard answers for another tenant's app or project exactly as for one that does not exist. For an
 * administrator with roles in single projects, it finds out which project the request is about.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(private readonly projects: ProjectsOfRows) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = currentRequest();
    const actor = request?.actor;
    if (actor?.kind === 'admin') return this.enterProject(actor, request!, context);
    if (actor?.kind === 'key') refuseOtherTenants(actor, context);
    return true;
  }

  /** Looks up the project if the role in the whole installation does not suffice. */
  private async enterProject(actor: AdminActor, request: RequestContext, context: ExecutionContext): Promise<true> {
    const { right, rightIn, path } = routeOf(context);
    if (rightIn !== 'project' || hasRight(actor, right)) return true;
    const { params, query } = context.switchToHttp().getRequest<Request>();
    const pathIds = pathIdsOf(context.getClass().prototype as object, context.getHandler().name);
    const first = firstIdIn({ path, pathIds });
    if (first) {
      const projectId = await this.projects.projectOf(first.kind, toId(first.kind, String(params[first.name])));
      request.hidesPathIds = actor.role === null && !actor.projectRoles.has(projectId ?? '');
      request.projectId = projectId ?? undefined;
    } else if (typeof query.projectId === 'string') {
      request.projectId = query.projectId;
    }
    return true;
  }
}

function refuseOtherTenants(actor: KeyActor, context: ExecutionContext): void {
  const { projectId, appId } = context.switchToHttp().getRequest<Request>().params;
  if (projectId !== undefined && projectId !== actor.projectId) throw authErrors.projectNotFound();
  if (appId !== undefined && appId !== actor.appId) throw authErrors.appNotFound();
}
