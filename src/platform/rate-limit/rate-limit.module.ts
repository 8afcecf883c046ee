import { Global, Module } from '@nestjs/common';
import { FailedAuthentications } from './failed-authentications.js';
import { OpenStreams } from './open-streams.js';
import { RateCounter } from './rate-counter.js';

@Global()
@Module({
  providers: [RateCounter, FailedAuthentications, OpenStreams],
  exports: [RateCounter, FailedAuthentications, OpenStreams],
})
export class RateLimitModule {}
