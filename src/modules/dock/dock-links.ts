import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { dockErrors } from './dock.errors.js';

/** `<number of the secret>.<HMAC>` */
const SIGNATURE = /^([1-9]\d{0,5})\.([\w-]{43})$/;

/** Links that open one export for a while, for whoever holds them. */
@Injectable()
export class DockLinks {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  to(dockJobId: Id<'dockJob'>): string {
    const expires = Math.floor(clock.now().getTime() / 1000) + this.settings.FILE_LINK_TTL;
    const { sealing: number, byNumber } = this.settings.SLIPWAY_LINK_SECRETS;
    const signature = `${number}.${sign(byNumber.get(number)!, dockJobId, expires).toString('base64url')}`;
    return `${this.origin()}/api/public/dock-status/${dockJobId}/content?expires=${expires}&signature=${signature}`;
  }

  check(dockStatusId: Id<'dockJob'>, expires: number, signature: string): void {
    const [, number, mac = ''] = SIGNATURE.exec(signature) ?? [];
    const secret = this.settings.SLIPWAY_LINK_SECRETS.byNumber.get(Number(number));
    const isOurs = secret && timingSafeEqual(sign(secret, dockStatusId, expires), Buffer.from(mac, 'base64url'));
    if (!isOurs || clock.now().getTime() >= expires * 1000) throw dockErrors.exportLinkInvalid({ dockStatusId });
  }

  /** Where clients reach this service, as far as it knows. */
  private origin(): string {
    const { PUBLIC_URL, HOST } = this.settings;
    if (PUBLIC_URL) return PUBLIC_URL;
    const { port, family } = (this.host.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
    return `http://${isEverywhere ? 'localhost' : family === 'IPv6' && HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  }
}

function sign(secret: Buffer, dockJobId: string, expires: number): Buffer {
  return createHmac('sha256', secret).update(`GET export ${dockJobId} until ${expires}`).digest();
}
