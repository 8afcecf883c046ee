import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type FinishedTurn, sinkNameOf, type Turn, type TurnSink, type TurnStatus } from './agents.port.js';

/** Finds whoever is told of a turn. Most are told to nobody: somebody waits for them. */
@Injectable()
export class TurnSinks {
  private byName: Map<string, TurnSink> | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  async tellStatus(em: EntityManager, turn: Turn, status: TurnStatus): Promise<void> {
    await this.of(turn)?.onStatus(em, turn, status);
  }

  async tellFinished(em: EntityManager, turn: FinishedTurn): Promise<void> {
    await this.of(turn)?.onFinished(em, turn);
  }

  private of({ sink }: Turn): TurnSink | undefined {
    if (!sink) return undefined;
    const found = this.all().get(sink.name);
    if (!found) throw new Error(`Nobody takes the turns for ${sink.name}`);
    return found;
  }

  private all(): Map<string, TurnSink> {
    this.byName ??= new Map(
      this.discovery.getProviders().flatMap(({ instance }) => {
        const found = instance as TurnSink | undefined;
        const name = found?.constructor && sinkNameOf(found.constructor);
        return name ? [[name, found] as const] : [];
      }),
    );
    return this.byName;
  }
}
