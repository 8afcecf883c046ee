import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type EndedToolRun, runListeners, type ToolCaller, type ToolRunListener } from './tools.port.js';

/** Who is told of whose runs. */
@Injectable()
export class RunListeners implements OnModuleInit {
  private byCaller = new Map<string, ToolRunListener>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byCaller = runListeners.findByName(
      this.discovery,
      (callerName) => callerName,
      (_, listener) => listener,
    );
  }

  async hold(em: EntityManager, caller: ToolCaller): Promise<void> {
    await this.byCaller.get(caller.name)?.hold(em, caller);
  }

  async tell(em: EntityManager, ended: EndedToolRun): Promise<void> {
    await this.byCaller.get(ended.caller.name)?.onEnded(em, ended);
  }
}
