import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Settings } from '../config/settings.js';
import { PublicOrigin } from './public-origin.js';

/** The form is `<number of the secret>.<HMAC>`. */
const SIGNATURE = /^([1-9]\d{0,5})\.([\w-]{43})$/;

/** Makes links that open one path for a limited time, for any client that has the link. */
@Injectable()
export class SignedLinks {
  constructor(
    private readonly settings: Settings,
    private readonly origin: PublicOrigin,
  ) {}

  /** Returns when a link that is made at this moment expires, in seconds. */
  endFrom(moment: Date): number {
    return Math.floor(moment.getTime() / 1000) + this.settings.FILE_LINK_TTL;
  }

  to(path: string, expires = this.endFrom(clock.now())): string {
    const { sealing: number, byNumber } = this.settings.SLIPWAY_LINK_SECRETS;
    const signature = `${number}.${sign(byNumber.get(number)!, path, expires)}`;
    return `${this.origin.url()}${path}?expires=${expires}&signature=${signature}`;
  }

  /** Returns what is wrong with a link to the path, or undefined. */
  faultOf(path: string, expires: number, signature: string): 'forged' | 'expired' | undefined {
    const [, number, mac = ''] = SIGNATURE.exec(signature) ?? [];
    const secret = this.settings.SLIPWAY_LINK_SECRETS.byNumber.get(Number(number));
    if (!secret || !timingSafeEqual(Buffer.from(sign(secret, path, expires)), Buffer.from(mac))) return 'forged';
    return hasEnded(expires) ? 'expired' : undefined;
  }
}

export function hasEnded(expires: number): boolean {
  return clock.now().getTime() >= expires * 1000;
}

function sign(secret: Buffer, path: string, expires: number): string {
  return createHmac('sha256', secret).update(`GET ${path} until ${expires}`).digest('base64url');
}
