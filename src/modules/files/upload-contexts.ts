import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type UploadContext, uploadContexts } from './files.port.js';

/** Who takes uploads of which context. */
@Injectable()
export class UploadContexts implements OnModuleInit {
  private takers = new Map<string, UploadContext>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.takers = uploadContexts.findByName(
      this.discovery,
      (contexts) => contexts,
      (_, taker) => taker,
    );
  }

  find(context: string): UploadContext | undefined {
    return this.takers.get(context);
  }
}
