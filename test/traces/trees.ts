import { readFileSync } from 'node:fs';

interface Sent {
  resourceSpans: {
    scopeSpans: { spans: (Record<string, unknown> & { events?: Record<string, unknown>[] })[] }[];
  }[];
}

/** The recorded requests of three instrumentations for one conversation and one failed call. */
export const TREES = ['vercel-ai-sdk', 'openinference-langchain', 'openllmetry-openai'] as const;

const MINUTE = 60_000_000_000n;

/** Returns a recording with its times shifted so that the last span ended a minute ago. */
export function recorded(name: (typeof TREES)[number]): Sent {
  const tree = JSON.parse(readFileSync(new URL(`./trees/${name}.json`, import.meta.url), 'utf8')) as Sent;
  const spans = spansIn(tree);
  const last = spans.map(({ endTimeUnixNano }) => BigInt(String(endTimeUnixNano))).reduce((a, b) => (a > b ? a : b));
  const shift = BigInt(Date.now()) * 1_000_000n - MINUTE - last;
  for (const timed of spans.flatMap((span) => [span, ...(span.events ?? [])])) {
    for (const member of ['startTimeUnixNano', 'endTimeUnixNano', 'timeUnixNano']) {
      const nanoseconds = timed[member];
      if (typeof nanoseconds === 'string') timed[member] = String(BigInt(nanoseconds) + shift);
    }
  }
  return tree;
}

export function spansIn({ resourceSpans }: Sent) {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
