import { z } from 'zod';
import type { TurnMedia } from '../agents.port.js';

const Media = z.object({
  url: z.url({ protocol: /^https?$/ }).max(4_096),
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
});
const KINDS = ['image', 'audio', 'video'] as const;
const MOST = 20;

/** What a tool gives for the user beside its answer: `media: [{url, mimeType}]` in its output. */
export function mediaIn(output: unknown): TurnMedia[] {
  const given = (output as { media?: unknown } | null)?.media;
  if (!Array.isArray(given)) return [];
  return given.slice(0, MOST).flatMap((each): TurnMedia[] => {
    const { data } = Media.safeParse(each);
    if (!data) return [];
    return [{ ...data, kind: KINDS.find((kind) => data.mimeType.startsWith(`${kind}/`)) ?? 'file' }];
  });
}
