import { Global, Module } from '@nestjs/common';
import { Outbound } from './outbound.js';

/** Requests to addresses that somebody else chose. */
@Global()
@Module({ providers: [Outbound], exports: [Outbound] })
export class OutboundModule {}
