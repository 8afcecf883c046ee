import { Global, Module } from '@nestjs/common';
import { FailedAuthentications } from './failed-authentications.js';
import { RateCounter } from './rate-counter.js';

@Global()
@Module({ providers: [RateCounter, FailedAuthentications], exports: [RateCounter, FailedAuthentications] })
export class RateLimitModule {}
