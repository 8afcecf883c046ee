import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Events } from './events.js';

/** Provides events: what has happened, for listeners that its cause does not know. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [Events], exports: [Events] })
export class EventsModule {}
