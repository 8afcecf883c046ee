import type { RedisOptions } from 'ioredis';

const SENTINEL = /^(?<protocol>rediss?)-sentinel:\/\/(?:(?<credentials>[^@]*)@)?(?<hosts>[^/]+)\/(?<master>[^/?]+)$/;

/**
 * Reads `redis://…`, or `redis-sentinel://user:password@host:port,host:port/master-name`. With `rediss`, connections to
 * Redis and to its sentinels use TLS.
 */
export function toRedisOptions(url: string): RedisOptions {
  const sentinel = SENTINEL.exec(url)?.groups;
  return sentinel ? sentinelOptions(sentinel) : singleOptions(new URL(url));
}

function sentinelOptions({ protocol, credentials = '', hosts = '', master }: Record<string, string>): RedisOptions {
  const [username, password] = credentials.split(':').map(decodeURIComponent);
  const sentinels = hosts.split(',').map((host) => {
    const { hostname, port } = new URL(`redis://${host}`);
    return { host: hostname, port: Number(port || 26379) };
  });
  const tls = protocol === 'rediss' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return { sentinels, name: master, username: username || undefined, password: password || undefined, ...tls };
}

function singleOptions(url: URL): RedisOptions {
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db: Number(url.pathname.slice(1) || 0),
    tls: url.protocol === 'rediss:' ? {} : undefined,
  };
}
