import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { AuthenticationGuard } from '../auth/authentication.guard.js';
import { PermissionGuard } from '../auth/permission.guard.js';
import { RevocationInterceptor } from '../auth/revocation.interceptor.js';
import { TenantGuard } from '../auth/tenant.guard.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { ErrorFilter } from './error.filter.js';
import { RequestInterceptor } from './request.interceptor.js';
import { RouteIndex } from '../route/route-index.js';

/** What every request passes, in this order. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    RouteIndex,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: TenantGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_INTERCEPTOR, useClass: RevocationInterceptor },
    { provide: APP_INTERCEPTOR, useClass: AnswerInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RouteIndex],
})
export class HttpModule {}
