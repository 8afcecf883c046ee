import { Injectable } from '@nestjs/common';
import type { Inspected } from '../contents/facts.js';
import { LocalHost } from './local.js';
import type { ModelHost } from './model-host.js';

/** The available kinds of hosts, the preferred one first. */
@Injectable()
export class ModelHosts {
  private readonly all: ModelHost[];

  constructor(local: LocalHost) {
    this.all = [local];
  }

  /** Returns the first host that can serve the model, or why none can. */
  choose(model: Inspected): { host: ModelHost } | { refusal: string } {
    const host = this.all.find((candidate) => candidate.refusalOf(model) === undefined);
    return host ? { host } : { refusal: this.all.map((candidate) => candidate.refusalOf(model)).join(' ') };
  }
}
