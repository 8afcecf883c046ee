import type { RedisOptions } from 'ioredis';

const SENTINEL = /^redis\+sentinel:\/\/(?:(?<credentials>[^@]*)@)?(?<hosts>[^/]+)\/(?<master>[^/?]+)$/;

/** Reads `redis://…`, `rediss://…`, or `redis+sentinel://user:password@host:port,host:port/master-name`. */
export function toRedisOptions(url: string): RedisOptions {
  const sentinel = SENTINEL.exec(url)?.groups;
  return sentinel ? sentinelOptions(sentinel) : singleOptions(new URL(url));
}

function sentinelOptions({ credentials = '', hosts = '', master }: Record<string, string>): RedisOptions {
  const [username, password] = credentials.split(':').map(decodeURIComponent);
  const sentinels = hosts.split(',').map((host) => {
    const { hostname, port } = new URL(`redis://${host}`);
    return { host: hostname, port: Number(port || 26379) };
  });
  return { sentinels, name: master, username: username || undefined, password: password || undefined };
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
