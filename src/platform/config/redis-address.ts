import type { RedisOptions } from 'ioredis';

interface Node {
  host: string;
  port: number;
}

/** Where Redis is: one server, which sentinels may name, or a cluster. */
export interface RedisAddress {
  /** The nodes by which a cluster is found. One server has none. */
  nodes: Node[];
  options: RedisOptions;
}

const SEVERAL =
  /^(?<protocol>rediss?)-(?<kind>sentinel|cluster):\/\/(?:(?<credentials>[^@]*)@)?(?<hosts>[^/]+)(?:\/(?<master>[^/?]+))?$/;

const FORMS =
  'must be an address such as redis://host:6379, redis-sentinel://host:26379,host:26379/master-name, or redis-cluster://host:6379,host:6379';

/**
 * Reads `redis://…`, `redis-sentinel://user:password@host:port,host:port/master-name`, or
 * `redis-cluster://user:password@host:port,host:port`. With `rediss`, all connections use TLS.
 * Throws an error with the fault of any other text.
 */
export function toRedisAddress(url: string): RedisAddress {
  const several = SEVERAL.exec(url)?.groups;
  if (several) return several.kind === 'cluster' ? toCluster(several) : toSentinels(several);
  const server = URL.parse(url);
  if (!server?.hostname || !/^rediss?:$/.test(server.protocol)) throw new Error(FORMS);
  return { nodes: [], options: toServer(server) };
}

function toSentinels({ protocol, credentials, hosts = '', master }: Record<string, string>): RedisAddress {
  if (!master) throw new Error('must end with the name of the master, such as redis-sentinel://host:26379/main');
  const tls = protocol === 'rediss' ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  const sentinels = toNodes(hosts, 26379);
  return { nodes: [], options: { sentinels, name: master, ...toUser(credentials), ...tls } };
}

function toCluster({ protocol, credentials, hosts = '', master }: Record<string, string>): RedisAddress {
  if (master) throw new Error('must end with the nodes, because a cluster has no name and one database');
  const tls = protocol === 'rediss' ? {} : undefined;
  return { nodes: toNodes(hosts, 6379), options: { ...toUser(credentials), tls } };
}

function toServer(url: URL): RedisOptions {
  return {
    ...toNode(url, 6379),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db: toDatabase(url.pathname.slice(1)),
    tls: url.protocol === 'rediss:' ? {} : undefined,
  };
}

function toDatabase(text: string): number {
  if (!/^\d*$/.test(text)) throw new Error('may end with the number of a database, such as redis://host:6379/1');
  return Number(text);
}

/** A password may have colons, and a user name may not. */
function toUser(credentials = ''): Pick<RedisOptions, 'username' | 'password'> {
  const [, username, password] = (/^([^:]*)(?::(.*))?$/s.exec(credentials) ?? []).map(decodeURIComponent);
  return { username: username || undefined, password: password || undefined };
}

function toNodes(hosts: string, defaultPort: number): Node[] {
  return hosts.split(',').map((host) => {
    const node = URL.parse(`redis://${host}`);
    if (!node?.hostname) throw new Error(FORMS);
    return toNode(node, defaultPort);
  });
}

/** An address of IPv6 has brackets in a URL alone. */
function toNode({ hostname, port }: URL, defaultPort: number): Node {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}
