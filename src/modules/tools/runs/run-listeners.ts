import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type EndedToolRun, runListeners, type ToolCaller, type ToolRunListener } from '../tools.port.js';

/** Finds the listener of each caller, and calls it. */
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

  async lock(tx: Transaction, caller: ToolCaller): Promise<void> {
    await this.byCaller.get(caller.name)?.lock(tx, caller);
  }

  async notify(tx: Transaction, ended: EndedToolRun): Promise<void> {
    await this.byCaller.get(ended.caller.name)?.onEnded(tx, ended);
  }
}
