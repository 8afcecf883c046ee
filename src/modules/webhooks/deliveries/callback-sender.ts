import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { storableText } from '../../../kernel/storable-text.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { OutboundFault } from '../../../platform/outbound/outbound.errors.js';
import { secondsAsked } from '../../../platform/outbound/retry-after.js';
import { SealedTextError } from '../../../platform/crypto/sealed-text-error.js';
import { Log } from '../../../platform/telemetry/log.js';
import { headersOf, timestampOf } from './callback-headers.js';
import type { DeliveryWithBody } from './delivery.entity.js';
import type { LoggedAttempt } from './delivery.repository.js';
import type { Receiver } from '../subscriptions/subscription.entity.js';
import { SubscriptionSecrets } from '../subscriptions/subscription-secrets.js';

/** The outcome of one attempt. */
export interface AttemptOutcome extends LoggedAttempt {
  isGone: boolean;
  /** The seconds that the receiver asks to wait with `Retry-After`. */
  askedSeconds: number | undefined;
}

const TIMEOUT_MS = 15_000;
/** A longer answer is not read to its end, and its connection is not used again. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The time that the body of an answer may take after its status, and the number of characters that are kept. */
const PATIENCE_MS = 2_000;
const KEPT_CHARACTERS = 1_024;

/** Makes one attempt to send a callback, and returns its outcome. */
@Injectable()
export class CallbackSender {
  constructor(
    private readonly outbound: Outbound,
    private readonly secrets: SubscriptionSecrets,
    private readonly log: Log,
  ) {}

  /** Throws if the signal aborts. Every failure of the receiver is an outcome of the attempt. */
  async send(receiver: Receiver, delivery: DeliveryWithBody, signal: AbortSignal): Promise<AttemptOutcome> {
    const at = clock.now();
    const startedAt = performance.now();
    const latency = () => Math.round(performance.now() - startedAt);
    let url: string | null = null;
    try {
      const headers = headersOf(delivery, at, this.signatureOf(receiver, delivery, at));
      url = receiver.callbackUrl;
      const request = { method: 'POST', headers, body: delivery.body, signal };
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES };
      const response = await this.outbound.fetch(url, request, limits);
      // The status decides the outcome. The body is only for people to read.
      const latencyMs = latency();
      return { at, url, latencyMs, ...outcomeOf(response, at), answer: await firstBytes(response) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failed = {
        at,
        url,
        latencyMs: latency(),
        status: null,
        answer: null,
        isGone: false,
        askedSeconds: undefined,
      };
      return { ...failed, error: this.reasonOf(error, receiver) };
    }
  }

  private signatureOf(receiver: Receiver, { eventId, body }: DeliveryWithBody, at: Date): string {
    return this.secrets.signatureFor(receiver, `${eventId}.${timestampOf(at)}.${body}`);
  }

  private reasonOf(error: unknown, { id }: Receiver): string {
    if (error instanceof OutboundFault) return error.message;
    if (!(error instanceof SealedTextError)) throw error;
    this.log.warn({ subscriptionId: id, reason: error.message }, 'A callback cannot be signed');
    return 'The secret of the subscription cannot be read any more. Rotate it';
  }
}

function outcomeOf(
  { status, headers }: Response,
  at: Date,
): Pick<AttemptOutcome, 'status' | 'error' | 'isGone' | 'askedSeconds'> {
  const isAccepted = status >= 200 && status < 300;
  return {
    status,
    error: isAccepted
      ? null
      : `The receiver answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`,
    isGone: status === 410,
    askedSeconds: isAccepted ? undefined : secondsAsked(headers.get('retry-after'), at),
  };
}

/** Reads the beginning of an answer, for people to read. A fault in the rest does not change the outcome. */
async function firstBytes(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (!reader) return null;
  const decoder = new TextDecoder();
  let text = '';
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), PATIENCE_MS);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (text.length < KEPT_CHARACTERS) text += decoder.decode(part.value as Uint8Array, { stream: true });
    }
  } catch {
    // The body was cut, too long or too slow. The text that was read is kept.
  } finally {
    clearTimeout(timer);
  }
  return storableText(text.slice(0, KEPT_CHARACTERS)) || null;
}
