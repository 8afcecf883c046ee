import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { ErasureReport } from './erasure.entity.js';
import type { SessionRow } from '../session.entity.js';
import { type SessionKeeper, sessionKeepers } from '../sessions.port.js';

/** Finds the providers that keep data about sessions, and has them delete it. */
@Injectable()
export class SessionKeepers implements OnModuleInit {
  private keepers: SessionKeeper[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.keepers = sessionKeepers.find(this.discovery);
  }

  async forget(tx: Transaction, session: SessionRow): Promise<Partial<ErasureReport>> {
    const reports: Partial<ErasureReport>[] = [];
    for (const keeper of this.keepers) reports.push(await keeper.forget(tx, session));
    return Object.assign({}, ...reports) as Partial<ErasureReport>;
  }
}
