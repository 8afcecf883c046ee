import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ErasureReport } from './erasure-store.js';
import type { Session } from './session.js';
import { keepsOfSessions, type SessionKeeper } from './sessions.port.js';

/** Finds whoever keeps something of what was said in sessions. */
@Injectable()
export class SessionKeepers {
  private keepers: SessionKeeper[] | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  async forget(em: EntityManager, session: Session): Promise<Partial<ErasureReport>> {
    const reports: Partial<ErasureReport>[] = [];
    for (const keeper of this.all()) reports.push(await keeper.forget(em, session));
    return Object.assign({}, ...reports) as Partial<ErasureReport>;
  }

  private all(): SessionKeeper[] {
    this.keepers ??= this.discovery.getProviders().flatMap(({ instance }) => {
      const found = instance as SessionKeeper | undefined;
      return found?.constructor && keepsOfSessions(found.constructor) ? [found] : [];
    });
    return this.keepers;
  }
}
