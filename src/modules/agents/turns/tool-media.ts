import { z } from 'zod';
import type { TurnMedia } from '../agents.port.js';

const Media = z.object({
  url: z.url({ protocol: /^https?$/ }).max(4_096),
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
});
const KINDS = ['image', 'audio', 'video'] as const;
const MAX_MEDIA = 20;

/** Reads `media: [{url, mimeType}]` from the output of a tool. The media go to the user, beside the answer. */
export function mediaIn(output: unknown): TurnMedia[] {
  const given = (output as { media?: unknown } | null)?.media;
  if (!Array.isArray(given)) return [];
  return given.slice(0, MAX_MEDIA).flatMap((item): TurnMedia[] => {
    const { data } = Media.safeParse(item);
    if (!data) return [];
    return [{ ...data, kind: KINDS.find((kind) => data.mimeType.startsWith(`${kind}/`)) ?? 'file' }];
  });
}
