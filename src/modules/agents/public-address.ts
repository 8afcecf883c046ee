import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Settings } from '../../platform/config/settings.js';

/** Where browsers reach this service, as far as it knows. */
@Injectable()
export class PublicAddress {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  origin(): string {
    const { PUBLIC_URL, HOST } = this.settings;
    if (PUBLIC_URL) return PUBLIC_URL;
    const { port, family } = (this.host.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
    return `http://${isEverywhere ? 'localhost' : family === 'IPv6' && HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  }
}
