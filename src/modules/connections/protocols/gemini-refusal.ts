import { z } from 'zod';
import type { Refusal } from './json-post.js';

const Refused = z.object({
  error: z.object({
    details: z.array(z.object({ reason: z.string().optional(), retryDelay: z.string().optional() })).default([]),
  }),
});

/** Google refuses a wrong key as an invalid request, and says in the body when to call again. */
export function geminiRefusal(body: unknown): Refusal {
  const { data } = Refused.safeParse(body);
  if (!data) return {};
  const { details } = data.error;
  const isKey = details.some(({ reason }) => reason === 'API_KEY_INVALID');
  const seconds = Number.parseFloat(details.find(({ retryDelay }) => retryDelay)?.retryDelay ?? '');
  return { ...(isKey && { status: 401 }), ...(seconds >= 0 && { retryAfterSeconds: Math.ceil(seconds) }) };
}
