import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Inspected } from '../contents/facts.js';
import { LocalHost } from './local.js';
import { type ModelHost, modelHosts } from './model-host.js';

export interface NamedHost {
  readonly name: string;
  readonly kind: ModelHost;
}

/** The available kinds of hosts, the preferred one first. */
@Injectable()
export class ModelHosts implements OnModuleInit {
  private hosts: NamedHost[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** Hosts of plugins come in their order before the local one, so they can take models that it would serve. */
  onModuleInit(): void {
    const hosts = [...modelHosts.find(this.discovery, ({ name }, kind) => ({ name, kind })).values()];
    const isLocal = ({ kind }: NamedHost) => kind instanceof LocalHost;
    this.hosts = [...hosts.filter((host) => !isLocal(host)), ...hosts.filter(isLocal)];
  }

  all(): readonly NamedHost[] {
    return this.hosts;
  }

  /** Returns the first host that can serve the model, or why none can. */
  choose(model: Inspected): { host: NamedHost } | { refusal: string } {
    const host = this.hosts.find((candidate) => candidate.kind.refusalOf(model) === undefined);
    return host ? { host } : { refusal: this.hosts.map((candidate) => candidate.kind.refusalOf(model)).join(' ') };
  }
}
