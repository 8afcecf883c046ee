import { networkInterfaces } from 'node:os';
import { createDatabase } from '../support/database.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const hasIpv6 = Object.values(networkInterfaces()).some((known) => known?.some(({ address }) => address === '::1'));
/** `::` stands for the addresses of both kinds. A machine without IPv6 has no such address. */
const listening = hasIpv6
  ? { address: '::', reachedBy: ['[::1]', '127.0.0.1'] }
  : { address: '0.0.0.0', reachedBy: ['127.0.0.1'] };

it('a process that listens on all addresses answers by each kind, to which it is the same machine', async () => {
  const service = await startProcess({ ...settingsFor(await createDatabase()), HOST: listening.address });
  try {
    const { port } = new URL(service.url);
    for (const host of listening.reachedBy) {
      expect(await readMetric({ url: `http://${host}:${port}` }, 'slipway_info')).toBe(1);
    }
  } finally {
    await service.stop();
  }
});
