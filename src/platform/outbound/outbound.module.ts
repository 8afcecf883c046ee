import { Global, Module } from '@nestjs/common';
import { Outbound } from './outbound.js';

/** The guarded client: requests to addresses that a stranger chose. */
@Global()
@Module({ providers: [Outbound], exports: [Outbound] })
export class OutboundModule {}
