import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Inspected } from '../contents/facts.js';
import { LocalHost } from './local.js';
import { type ModelHost, modelHosts } from './model-host.js';

export interface HostKind {
  readonly name: string;
  readonly host: ModelHost;
}

/** The available kinds of hosts, the preferred one first. */
@Injectable()
export class ModelHosts implements OnModuleInit {
  private kinds: HostKind[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** Hosts of plugins come in their order before the local one, so they can take models that it would serve. */
  onModuleInit(): void {
    const kinds = [...modelHosts.find(this.discovery, ({ name }, host) => ({ name, host })).values()];
    const isLocal = ({ host }: HostKind) => host instanceof LocalHost;
    this.kinds = [...kinds.filter((kind) => !isLocal(kind)), ...kinds.filter(isLocal)];
  }

  all(): readonly HostKind[] {
    return this.kinds;
  }

  /** Returns the first kind of host that can serve the model, or why none can. */
  choose(model: Inspected): { kind: HostKind } | { refusal: string } {
    const kind = this.kinds.find(({ host }) => host.refusalOf(model) === undefined);
    return kind ? { kind } : { refusal: this.kinds.map(({ host }) => host.refusalOf(model)).join(' ') };
  }
}
