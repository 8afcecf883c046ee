import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { callerHeardBy, type EndedToolRun, type ToolCaller, type ToolRunListener } from './tools.port.js';

/** Who is told of whose runs, found among all providers. */
@Injectable()
export class RunListeners implements OnModuleInit {
  private readonly byCaller = new Map<string, ToolRunListener>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders() as { instance: object | undefined }[]) {
      const name = instance?.constructor && callerHeardBy(instance.constructor);
      if (name === undefined) continue;
      if (this.byCaller.has(name)) throw new Error(`Two providers listen to the tool runs of ${name}`);
      this.byCaller.set(name, instance as ToolRunListener);
    }
  }

  async hold(em: EntityManager, caller: ToolCaller): Promise<void> {
    await this.byCaller.get(caller.name)?.hold(em, caller);
  }

  async tell(em: EntityManager, ended: EndedToolRun): Promise<void> {
    await this.byCaller.get(ended.caller.name)?.onEnded(em, ended);
  }
}
