import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { filesErrors } from './files.errors.js';

/** `<number of the secret>.<HMAC>` */
const SIGNATURE = /^([1-9]\d{0,5})\.([\w-]{43})$/;

/** Links that open one file for a while, for whoever holds them. */
@Injectable()
export class FileLinks {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Good for a while from now on. */
  to(fileId: Id<'file'>): string {
    return this.until(this.endOf(clock.now()), fileId);
  }

  /** The one that was good from that moment on; a fresh one, where that has ended. */
  since(moment: Date, fileId: Id<'file'>): string {
    const end = this.endOf(moment);
    return end * 1000 > clock.now().getTime() ? this.until(end, fileId) : this.to(fileId);
  }

  private endOf(moment: Date): number {
    return Math.floor(moment.getTime() / 1000) + this.settings.FILE_LINK_TTL;
  }

  private until(expires: number, fileId: Id<'file'>): string {
    const { sealing: number, byNumber } = this.settings.SLIPWAY_LINK_SECRETS;
    const signature = `${number}.${sign(byNumber.get(number)!, fileId, expires).toString('base64url')}`;
    return `${this.origin()}/api/public/files/content/${fileId}?expires=${expires}&signature=${signature}`;
  }

  check(fileId: Id<'file'>, expires: number, signature: string): void {
    const [, number, mac = ''] = SIGNATURE.exec(signature) ?? [];
    const secret = this.settings.SLIPWAY_LINK_SECRETS.byNumber.get(Number(number));
    const isOurs = secret && timingSafeEqual(sign(secret, fileId, expires), Buffer.from(mac, 'base64url'));
    if (!isOurs) throw filesErrors.linkInvalid({ fileId });
    if (clock.now().getTime() >= expires * 1000) throw filesErrors.linkExpired({ fileId });
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

function sign(secret: Buffer, fileId: string, expires: number): Buffer {
  return createHmac('sha256', secret).update(`GET ${fileId} until ${expires}`).digest();
}
