import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { AuthenticationGuard } from '../auth/authentication.guard.js';
import { PermissionGuard } from '../auth/permission.guard.js';
import { TenantGuard } from '../auth/tenant.guard.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { ErrorFilter } from './error.filter.js';
import { HttpMetrics } from './http-metrics.js';
import { RequestInterceptor } from './request.interceptor.js';
import { RouteIndex } from '../route/route-index.js';
import { RequestSlots } from './request-slots.js';
import { Stopping } from './stopping.js';

/**
 * The guards, the interceptor and the error filter of every request. Nest runs the guards in the order of this list.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    HttpMetrics,
    RequestSlots,
    RouteIndex,
    Stopping,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: TenantGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [Stopping, RouteIndex],
})
export class HttpModule {}
