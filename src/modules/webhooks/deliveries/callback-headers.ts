import type { DeliveryRow } from './delivery.entity.js';

/** The instant of an attempt, as its headers have it and as its signature covers it. */
export function timestampOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

/** Returns the headers of a callback. All but the signature follow from the delivery and the time of the attempt. */
export function headersOf(
  { eventId, event }: Pick<DeliveryRow, 'eventId' | 'event'>,
  at: Date,
  signature: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Slipway-Webhooks/1.0',
    'webhook-id': eventId,
    'webhook-timestamp': timestampOf(at),
    'webhook-signature': signature,
    'webhook-event': event,
  };
}
