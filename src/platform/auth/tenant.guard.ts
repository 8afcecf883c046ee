import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { currentRequest } from '../context/request-context.js';
import { authErrors } from './auth.errors.js';

/** The second guard answers for another tenant's app or project exactly as for one that does not exist. */
@Injectable()
export class TenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { projectId, appId } = context.switchToHttp().getRequest<Request>().params;
    const actor = currentRequest()?.actor;
    if (actor?.kind !== 'key') return true;
    if (projectId !== undefined && projectId !== actor.projectId) throw authErrors.projectNotFound();
    if (appId !== undefined && appId !== actor.appId) throw authErrors.appNotFound();
    return true;
  }
}
