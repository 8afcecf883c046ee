import { Injectable } from '@nestjs/common';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { webhooksErrors } from '../webhooks.errors.js';

/** Which addresses callbacks may go to. What a name resolves to is checked at each attempt. */
@Injectable()
export class CallbackAddresses {
  constructor(private readonly outbound: Outbound) {}

  check(url: string): void {
    const reason = this.outbound.refusalOf(url) ?? this.clearTextRefusal(url);
    if (reason !== undefined) throw webhooksErrors.invalidCallbackUrl({ reason });
  }

  /** Replies are private: in clear text they go only where the operator said, as to a receiver on this machine. */
  private clearTextRefusal(url: string): string | undefined {
    if (new URL(url).protocol === 'https:' || this.outbound.isOpened(url)) return undefined;
    return 'begins with http://, which others could read along';
  }
}
