import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { HttpModule } from '../http/http.module.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [DiscoveryModule, HttpModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [Readiness],
})
export class HealthModule {}
