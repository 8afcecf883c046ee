import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { toRedisAddress } from '../config/redis-address.js';
import { isOfReplica, MasterConnector } from './master-connector.js';

/** One connection to a server, or connections to the nodes of a cluster. Both understand the same commands. */
export type RedisClient = Redis | Cluster;

/** Under this token, the connection that requests use is injected. */
export const REDIS = Symbol('the connection to Redis that requests use');

/** How often a command may follow the slots of a cluster that moves, before it fails. */
const MOST_REDIRECTIONS = 4;

/** How long a request may wait for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 250;

/** The options of connections that requests use. */
export const FOR_REQUESTS: RedisOptions = {
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  maxRetriesPerRequest: 1,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
};

/**
 * Opens connections to the Redis of `REDIS_URL`. The options are those of one connection. A server that has become a
 * replica is left: a master has to be found, or to come back.
 */
export function openRedis(url: string, own: RedisOptions): RedisClient {
  const { nodes, options } = toRedisAddress(url);
  if (nodes.length === 0)
    return new Redis({ ...connectorFor(options), ...options, ...own, reconnectOnError: isOfReplica });
  const { retryStrategy, enableOfflineQueue, enableAutoPipelining, enableReadyCheck, ...ofNode } = own;
  const isPatient = own.maxRetriesPerRequest === null;
  return new Cluster(nodes, {
    redisOptions: { ...options, ...ofNode },
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue,
    enableAutoPipelining,
    enableReadyCheck,
    maxRedirections: isPatient ? Infinity : MOST_REDIRECTIONS,
    // A certificate names the host, so the host is not replaced by its address.
    dnsLookup: options.tls ? (host, callback) => callback(null, host) : undefined,
  });
}

/** Sentinels name only masters. */
function connectorFor({ sentinels }: RedisOptions): RedisOptions {
  return sentinels ? {} : { Connector: MasterConnector as RedisOptions['Connector'] };
}
