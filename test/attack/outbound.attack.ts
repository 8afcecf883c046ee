import { fileURLToPath } from 'node:url';
import { inNamespace, reportFromNamespace } from '../support/network-namespace.js';
import { report } from './attacked.js';
import type { Reached } from './outbound-end-to-end.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

inNamespace('a service in a network of its own, whose API is asked to call our own side', () => {
  let ways: Record<string, Record<'public' | 'closed' | 'redirect' | 'rebinding', Reached>>;
  beforeAll(async () => {
    ways = await reportFromNamespace('--import', here('../support/typescript.mjs'), here('outbound-end-to-end.ts'));
    for (const [way, { closed }] of Object.entries(ways)) {
      report(way, `${closed.asked} addresses of our own side, ${closed.taken} of them taken`);
    }
  }, 170_000);

  it('reaches public addresses through each of them', () => {
    for (const way of ['connection base', 'connection endpoint', 'tool node', 'callback']) {
      const { answer, foreign } = ways[way]!.public;
      expect({ way, isReached: foreign > 0, answer }).toEqual({ way, isReached: true, answer });
    }
  });

  it.each(['connection base', 'connection endpoint', 'tool node', 'callback', 'sign-in'])(
    'never reaches our own side through a %s: spelled oddly, by name, by redirect, or by a name that changes',
    (way) => {
      const { closed, redirect, rebinding } = ways[way]!;
      expect(closed.asked).toBeGreaterThan(150);
      expect([closed.canary, redirect.canary, rebinding.canary]).toEqual([0, 0, 0]);
    },
  );
});
