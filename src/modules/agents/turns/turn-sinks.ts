import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type FinishedTurn, type Turn, type TurnSink, turnSinks, type TurnStatus } from '../agents.port.js';

/** Finds whoever is told of a turn. Most are told to nobody: somebody waits for them. */
@Injectable()
export class TurnSinks implements OnModuleInit {
  private byName = new Map<string, TurnSink>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byName = turnSinks.findByName(
      this.discovery,
      (name) => name,
      (_, sink) => sink,
    );
  }

  async tellStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void> {
    await this.of(turn)?.onStatus(tx, turn, status);
  }

  async tellFinished(tx: Transaction, turn: FinishedTurn): Promise<void> {
    await this.of(turn)?.onFinished(tx, turn);
  }

  private of({ sink }: Turn): TurnSink | undefined {
    if (!sink) return undefined;
    const found = this.byName.get(sink.name);
    if (!found) throw new Error(`Nobody takes the turns for ${sink.name}`);
    return found;
  }
}
