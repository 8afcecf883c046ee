import { applyDecorators, type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { tusErrors } from './tus.errors.js';

/** The version of tus that this service speaks. */
export const TUS_VERSION = '1.0.0';

class TusVersionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    if (headers['tus-resumable'] === TUS_VERSION) return true;
    throw tusErrors.versionUnsupported({ versions: TUS_VERSION }, { headers: { 'tus-version': TUS_VERSION } });
  }
}

/** Refuses requests in another version of tus before anything of them is read. */
export function InTusVersion(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Tus-Resumable',
      description: 'The version of tus that the client speaks.',
      required: true,
      schema: { type: 'string', enum: [TUS_VERSION] },
    }),
    UseGuards(TusVersionGuard),
  );
}
