import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type UploadContext, uploadContexts } from './files.port.js';

/** Who takes uploads of which context. */
@Injectable()
export class UploadContexts implements OnModuleInit {
  private takers: ReturnType<typeof uploadContexts.findByName> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.takers = uploadContexts.findByName(this.discovery, (contexts) => contexts);
  }

  find(context: string): UploadContext | undefined {
    return this.takers.get(context)?.provider;
  }
}
