import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel/actor.js';
import type { SlipwayError } from '../../kernel/errors.js';
import { type Access, isChannelOnly } from '../../kernel/permissions.js';
import { type AdminRight, hasRight, hasRightInAnyProject, type HeldRoles, rolesWith } from '../../kernel/roles.js';
import { currentRequest, type RequestContext } from '../context/request-context.js';
import type { RouteDescription } from '../route/route-description.js';
import { routeOf } from '../route/route.js';
import { authErrors } from './auth.errors.js';

const NO_CHANNEL = 'of the project with another permission than HTTP_ASYNC_SEND';

/** The third guard checks whether the caller has the permission, and an administrator the right, that the route requires. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = currentRequest();
    const route = routeOf(context);
    const { access } = route;
    mustPermit(request?.actor, access);
    mustHaveRightOn(route, request);
    if (request) request.access = access;
    return true;
  }
}

export function mustPermit(actor: Caller | undefined, access: Access): void {
  if (permits(actor, access)) return;
  // No particular permission is missing in this case.
  if (access === 'anyKey') throw authErrors.permissionDenied({ whose: NO_CHANNEL });
  throw authErrors.permissionDenied({ whose: `whose scope grants ${access}` }, { required: [access] });
}

/** Refuses an administrator whose roles lack the right, on the routes of an app as well. Other callers have no roles. */
function mustHaveRightOn({ right, rightIn }: RouteDescription, request: RequestContext | undefined): void {
  const actor = request?.actor;
  if (actor?.kind === 'key' && actor.administrator) {
    mustHaveRight(actor.administrator, right, actor.projectId);
  }
  // The handler finds no row with a hidden id, and says that.
  if (actor?.kind !== 'admin' || request?.hidesPathIds) return;
  if (rightIn === 'anyProject' && hasRightInAnyProject(actor, right)) return;
  mustHaveRight(actor, right, request?.projectId);
}

/** Refuses an administrator who has the right neither in the whole installation nor in the project that is given. */
export function mustHaveRight(roles: HeldRoles, right: AdminRight, projectId?: string): void {
  if (!hasRight(roles, right, projectId)) throw lacking(right, projectId);
}

function lacking(right: AdminRight, projectId: string | undefined): SlipwayError {
  const where = projectId === undefined ? 'the whole installation' : 'this project';
  return authErrors.permissionDenied({ whose: `of an administrator with the role ${rolesWith(right)} in ${where}` });
}

export function permits(actor: Caller | undefined, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'administration') return actor?.kind === 'admin';
  if (access === 'jwtClient') return actor?.kind === 'jwtClient';
  if (actor?.kind !== 'key') return false;
  return access === 'anyKey' ? !isChannelOnly(actor.granted) : actor.effective.has(access);
}
