import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Settings } from '../config/settings.js';

/** The address at which others reach this service, as far as the service knows. */
@Injectable()
export class PublicOrigin {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  url(): string {
    const { PUBLIC_URL, HOST, PORT } = this.settings;
    if (PUBLIC_URL) return PUBLIC_URL;
    const address = (this.host.httpAdapter.getHttpServer() as Server).address() as AddressInfo | null;
    const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
    const host = isEverywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST;
    return `http://${host}:${address?.port ?? PORT}`;
  }
}
