import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { EventDefinition } from '../../kernel/events.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { Jobs } from '../queue/jobs.js';
import { Log } from '../telemetry/log.js';
import { eventListeners } from './on-event.js';

type Listener = ReturnType<typeof eventListeners.find>[number];

/** Publishes events to the methods that listen to them. */
@Injectable()
export class Events {
  private listeners: Map<EventDefinition, Listener[]> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /**
   * Publishes the event if the transaction commits, and not otherwise. An event to which no durable listener listens
   * costs no statement.
   */
  async publish<Payload extends object>(
    tx: Transaction,
    event: EventDefinition<Payload>,
    payload: Payload,
  ): Promise<void> {
    for (const listener of this.listenersTo(event)) {
      const { job } = listener.said;
      if (job) await this.jobs.add(tx, job, payload, projectOf(payload));
      else tx.afterCommit(() => void this.notify(listener, event.payload.parse(payload)));
    }
  }

  private listenersTo(event: EventDefinition): readonly Listener[] {
    this.listeners ??= Map.groupBy(eventListeners.find(this.discovery, this.scanner), ({ said }) => said.event);
    return this.listeners.get(event) ?? [];
  }

  /** The caller does not wait for listeners, and does not learn that one has failed. */
  private async notify({ said, call }: Listener, payload: object): Promise<void> {
    try {
      await this.database.apart(async () => call(payload));
    } catch (error) {
      this.log.error({ err: error, event: said.event.name, listener: said.name }, 'A listener of an event failed');
    }
  }
}

function projectOf(payload: { projectId?: unknown }) {
  return typeof payload.projectId === 'string' ? { projectId: payload.projectId } : {};
}
