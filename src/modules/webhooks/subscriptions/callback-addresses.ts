import { Injectable } from '@nestjs/common';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { webhooksErrors } from '../webhooks.errors.js';

/** Checks the addresses of receivers. The IP addresses to which a name resolves are checked at every attempt. */
@Injectable()
export class CallbackAddresses {
  constructor(private readonly outbound: Outbound) {}

  check(url: string): void {
    const reason = this.outbound.refusalOf(url) ?? this.clearTextRefusal(url);
    if (reason === undefined) return;
    const details = { issues: [{ path: 'callbackUrl', message: reason }] };
    throw webhooksErrors.invalidCallbackUrl({ reason }, { details });
  }

  /** Refuses http, because others could read the replies. Only addresses that the operator has opened may have it. */
  private clearTextRefusal(url: string): string | undefined {
    if (new URL(url).protocol === 'https:' || this.outbound.isOpened(url)) return undefined;
    return 'begins with http://, so others could read what is sent';
  }
}
