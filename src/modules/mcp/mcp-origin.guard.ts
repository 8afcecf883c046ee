import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../../platform/config/settings.js';
import { PublicOrigin } from '../../platform/links/public-origin.js';
import { mcpErrors } from './mcp.errors.js';

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Refuses pages of unknown sites, as the protocol demands. A site could let its name lead to this machine, and the
 * browser would then take the endpoint for a part of the site.
 */
@Injectable()
export class McpOriginGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly address: PublicOrigin,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<Request>().headers;
    // Only browsers send the header.
    if (origin === undefined || this.isKnown(origin)) return true;
    throw mcpErrors.originRefused();
  }

  private isKnown(origin: string): boolean {
    const own = new URL(this.address.url()).origin;
    return origin === own || this.settings.CORS_ORIGINS.includes(origin) || LOOPBACK.test(origin);
  }
}
