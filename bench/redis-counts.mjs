import { Redis } from 'ioredis';

/**
 * Returns how many commands Redis has run, those of scripts included, and how many connections it has from others.
 * @param {string} url
 */
export async function redisCounts(url) {
  const redis = new Redis(url);
  try {
    const [stats, clients] = await Promise.all([redis.info('commandstats'), redis.info('clients')]);
    /** @type {Map<string, number>} */
    const commands = new Map();
    for (const [, name = '', calls] of stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
      // A connection of this function asks for these.
      if (!OWN.has(name)) commands.set(name, Number(calls));
    }
    const connections = Number(/^connected_clients:(\d+)/m.exec(clients)?.[1]) - 1;
    return { commands, connections };
  } finally {
    redis.disconnect();
  }
}

const OWN = new Set(['info', 'auth']);

/**
 * Returns the commands that were run between two counts, the most frequent first.
 * @param {Map<string, number>} before
 * @param {Map<string, number>} after
 * @returns {[name: string, calls: number][]}
 */
export function commandsBetween(before, after) {
  return [...after]
    .map(([name, calls]) => /** @type {[string, number]} */ ([name, calls - (before.get(name) ?? 0)]))
    .filter(([, calls]) => calls > 0)
    .sort(([, a], [, b]) => b - a);
}

/** @param {readonly (readonly [string, number])[]} commands */
export function sumOf(commands) {
  return commands.reduce((sum, [, calls]) => sum + calls, 0);
}
