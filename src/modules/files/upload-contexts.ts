import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type UploadContext, uploadContexts } from './files.port.js';

/** Finds the `UploadContext` of a context by its name. */
@Injectable()
export class UploadContexts implements OnModuleInit {
  private byName = new Map<string, UploadContext>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byName = uploadContexts.findByName(
      this.discovery,
      (names) => names,
      (_, uploadContext) => uploadContext,
    );
  }

  find(context: string): UploadContext | undefined {
    return this.byName.get(context);
  }
}
