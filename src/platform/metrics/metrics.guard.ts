import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../config/settings.js';
import { metricsErrors } from './metrics.errors.js';

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Admits requests from this machine, and requests with the token. */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (isFromHere(request) || this.hasToken(request)) return true;
    throw metricsErrors.denied();
  }

  private hasToken({ headers }: Request): boolean {
    const given = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const expected = this.settings.METRICS_TOKEN;
    return given !== undefined && expected !== undefined && timingSafeEqual(digest(given), digest(expected));
  }
}

/** A request that a proxy on this machine forwards comes from elsewhere, whatever address its headers name. */
function isFromHere({ socket, headers }: Request): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !isForwarded && LOOPBACK.test(socket.remoteAddress ?? '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
