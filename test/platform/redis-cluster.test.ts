import { toRedisAddress } from '../../src/platform/config/redis-address.js';
import { testOnRedisCluster } from './on-redis-cluster.js';

it.each([
  [
    'redis-cluster://a,b:7',
    [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7 },
    ],
    {},
  ],
  ['redis-cluster://[fd00::1]:7', [{ host: 'fd00::1', port: 7 }], {}],
  ['rediss-cluster://ada:p%40ss@a', [{ host: 'a', port: 6379 }], { username: 'ada', password: 'p@ss', tls: {} }],
])('understands the address %s', (url, nodes, options) => {
  expect(toRedisAddress(url)).toMatchObject({ nodes, options });
});

testOnRedisCluster({ tls: false });
