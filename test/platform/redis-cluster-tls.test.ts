import { testOnRedisCluster } from './on-redis-cluster.js';

testOnRedisCluster({ tls: true });
