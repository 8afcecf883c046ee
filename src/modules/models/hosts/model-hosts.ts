import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Inspected } from '../contents/facts.js';
import { Settings } from '../../../platform/config/settings.js';
import { FleetHost } from './fleet-host.js';
import { KubernetesHost } from './kubernetes.js';
import { LocalHost } from './local.js';
import { type ModelHost, modelHosts } from './model-host.js';

export interface HostKind {
  readonly name: string;
  readonly host: ModelHost | FleetHost;
}

/** The available kinds of hosts, the preferred one first. */
@Injectable()
export class ModelHosts implements OnModuleInit {
  private known: HostKind[] = [];
  private kinds: HostKind[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly settings: Settings,
  ) {}

  /** Hosts of plugins come in their order before Slipway's own, so they can take models that it would serve. */
  onModuleInit(): void {
    this.known = [...modelHosts.find(this.discovery, ({ name }, host) => ({ name, host })).values()];
    const isOwn = ({ host }: HostKind) => host instanceof LocalHost || host instanceof KubernetesHost;
    const chosen = this.settings.MODEL_HOST === 'kubernetes' ? KubernetesHost : LocalHost;
    const ofPlugins = this.known.filter((kind) => !isOwn(kind));
    this.kinds = [...ofPlugins, ...this.known.filter(({ host }) => host instanceof chosen)];
  }

  all(): readonly HostKind[] {
    return this.kinds;
  }

  /**
   * Returns the names of the hosts of which a deployment has one address, however many replicas are behind it. They
   * include those that other processes of the installation use.
   */
  fleetNames(): string[] {
    return this.known.filter(({ host }) => host instanceof FleetHost).map(({ name }) => name);
  }

  /** Returns the first kind of host that can serve the model, or why none can. */
  choose(model: Inspected): { kind: HostKind } | { refusal: string } {
    const kind = this.kinds.find(({ host }) => host.refusalOf(model) === undefined);
    return kind ? { kind } : { refusal: this.kinds.map(({ host }) => host.refusalOf(model)).join(' ') };
  }
}
