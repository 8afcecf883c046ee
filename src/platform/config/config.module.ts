import { Global, Module } from '@nestjs/common';
import { readSettings, Settings } from './settings.js';

@Global()
@Module({
  providers: [{ provide: Settings, useFactory: () => readSettings(process.env) }],
  exports: [Settings],
})
export class ConfigModule {}

/** Returns the file that names the plugins. It is read before the settings, because plugins have settings too. */
export function configuredFile(): string | undefined {
  return process.env.SLIPWAY_CONFIG;
}
