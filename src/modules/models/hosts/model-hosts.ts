import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Inspected } from '../contents/facts.js';
import { type ModelHost, modelHosts } from './model-host.js';

export interface NamedHost {
  readonly name: string;
  readonly host: ModelHost;
}

/** The available kinds of hosts, the preferred one first. */
@Injectable()
export class ModelHosts implements OnModuleInit {
  private hosts: NamedHost[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** Hosts of later modules come first, so a plugin can take models that Slipway would serve itself. */
  onModuleInit(): void {
    this.hosts = [...modelHosts.find(this.discovery, ({ name }, host) => ({ name, host })).values()].toReversed();
  }

  all(): readonly NamedHost[] {
    return this.hosts;
  }

  /** Returns the first host that can serve the model, or why none can. */
  choose(model: Inspected): { host: NamedHost } | { refusal: string } {
    const host = this.hosts.find((candidate) => candidate.host.refusalOf(model) === undefined);
    return host ? { host } : { refusal: this.hosts.map((candidate) => candidate.host.refusalOf(model)).join(' ') };
  }
}
