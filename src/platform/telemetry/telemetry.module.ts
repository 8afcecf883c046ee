import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { createLog, Log } from './log.js';

@Global()
@Module({
  providers: [{ provide: Log, useFactory: (settings: Settings) => createLog(settings.LOG_LEVEL), inject: [Settings] }],
  exports: [Log],
})
export class TelemetryModule {}
