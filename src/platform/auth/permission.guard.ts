import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel/actor.js';
import { isChannelOnly } from '../../kernel/permissions.js';
import { type AdminRight, type AdminRole, hasRight, rolesWith } from '../../kernel/roles.js';
import { currentRequest } from '../context/request-context.js';
import type { Access } from '../route/route-description.js';
import { routeOf } from '../route/route.js';
import { authErrors } from './auth.errors.js';

const NO_CHANNEL = 'of the project with another permission than HTTP_ASYNC_SEND';

/** The third guard checks whether the caller has the permission, and an administrator the right, that the route requires. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = currentRequest();
    const { access, right } = routeOf(context);
    mustPermit(request?.actor, access);
    mustHaveRight(request?.actor, right);
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

/** Refuses an administrator whose role lacks the right, on the routes of an app as well. Other callers have no role. */
export function mustHaveRight(actor: Caller | undefined, right: AdminRight): void {
  const administrator = administratorIn(actor);
  if (!administrator || hasRight(administrator.role, right)) return;
  throw authErrors.permissionDenied({ whose: `of an administrator with the role ${rolesWith(right)}` });
}

function administratorIn(actor: Caller | undefined): { role: AdminRole } | undefined {
  if (actor?.kind === 'admin') return actor;
  return actor?.kind === 'key' ? actor.administrator : undefined;
}

export function permits(actor: Caller | undefined, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'administration') return actor?.kind === 'admin';
  if (access === 'jwtClient') return actor?.kind === 'jwtClient';
  if (actor?.kind !== 'key') return false;
  return access === 'anyKey' ? !isChannelOnly(actor.granted) : actor.effective.has(access);
}
