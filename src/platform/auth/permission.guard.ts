import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isChannelOnly } from '../../kernel/permissions.js';
import { currentRequest } from '../context/request-context.js';
import type { Access } from '../http/route-description.js';
import { routeOf } from '../http/route.js';
import type { KeyActor } from './actor.js';
import { authErrors } from './auth.errors.js';

/** Third of the guards: may this key do this? */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const actor = currentRequest()?.actor;
    const { access } = routeOf(context);
    if (actor?.kind === 'key' && !permits(actor, access)) {
      const required = access === 'anyKey' ? [] : [access];
      throw authErrors.permissionDenied({}, { required });
    }
    return true;
  }
}

function permits(actor: KeyActor, access: Access): boolean {
  switch (access) {
    case 'public':
      return true;
    case 'administration':
      return false;
    case 'anyKey':
      return !isChannelOnly(actor.granted);
    default:
      return actor.effective.has(access);
  }
}
