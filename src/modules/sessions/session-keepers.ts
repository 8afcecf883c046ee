import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ErasureReport } from './erasure-store.js';
import type { Session } from './session.js';
import { type SessionKeeper, sessionKeepers } from './sessions.port.js';

/** Whoever keeps something of what was said in sessions. */
@Injectable()
export class SessionKeepers implements OnModuleInit {
  private keepers: SessionKeeper[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.keepers = sessionKeepers.find(this.discovery);
  }

  async forget(em: EntityManager, session: Session): Promise<Partial<ErasureReport>> {
    const reports: Partial<ErasureReport>[] = [];
    for (const keeper of this.keepers) reports.push(await keeper.forget(em, session));
    return Object.assign({}, ...reports) as Partial<ErasureReport>;
  }
}
