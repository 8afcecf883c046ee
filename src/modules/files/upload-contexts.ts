import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { contextsTakenBy, type UploadContext } from './files.port.js';

/** Who takes uploads of which context, found among all providers. */
@Injectable()
export class UploadContexts implements OnModuleInit {
  private readonly takers = new Map<string, UploadContext>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { metatype, instance } of this.discovery.getProviders()) {
      for (const context of metatype ? contextsTakenBy(metatype) : []) {
        if (this.takers.has(context)) throw new Error(`Two providers take uploads of the context ${context}`);
        this.takers.set(context, instance as UploadContext);
      }
    }
  }

  find(context: string): UploadContext | undefined {
    return this.takers.get(context);
  }
}
