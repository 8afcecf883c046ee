import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { connectionsErrors } from './connections.errors.js';
import { type ConnectionProtocol, connectionProtocols, type ProtocolDescription } from './connections.port.js';
import { secretsIn } from './form-fields.js';

export interface KnownProtocol {
  readonly description: ProtocolDescription;
  readonly protocol: ConnectionProtocol;
  /** The fields that are sealed whatever their names are. */
  readonly secrets: ReadonlySet<string>;
}

/** The protocols of connections by the names of their providers. */
@Injectable()
export class ConnectionProtocols implements OnModuleInit {
  private byProvider = new Map<string, KnownProtocol>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byProvider = connectionProtocols.find(this.discovery, (description, protocol) => {
      return { description, protocol, secrets: secretsIn(description.fields) };
    });
  }

  /** Returns undefined for a connection whose protocol came from a plugin that is no longer installed. */
  find({ provider }: { provider: string }): KnownProtocol | undefined {
    return this.byProvider.get(provider);
  }

  of(connection: { provider: string }): KnownProtocol {
    const known = this.find(connection);
    if (!known) throw connectionsErrors.protocolMissing();
    return known;
  }
}
