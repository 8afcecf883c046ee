import { setImmediate as turn } from 'node:timers/promises';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { randomMasterKey, settingsFor } from '../support/settings.js';
import { ask } from '../gateway/calls.js';
import { change, KEY, makeConnection, read } from './make.js';

/**
 * The steps of an operator: first every process can open with the new key, then all seal with it, then the old one is
 * removed.
 */
const OLD = `1:${randomMasterKey()}`;
const NEW = `2:${randomMasterKey()}`;
/** The test starts four processes. */
const WITHIN_MS = 120_000;

it(
  'the master key is changed while connections are used and changed, and no request fails',
  async () => {
    const double = await ModelDouble.start();
    const settings = { ...settingsFor(await createDatabase()), VENDOR1_BASE_URL: double.url };
    const start = (keys: string) => startProcess({ ...settings, SLIPWAY_MASTER_KEYS: keys });
    let current: ServiceProcess = await start(OLD);
    const tenant = await makeTenant(current);
    const connections = await Promise.all(Array.from({ length: 30 }, () => makeConnection(tenant)));

    let isOver = false;
    const failures: string[] = [];
    let uses = 0;
    const traffic = async (at: number) => {
      while (!isOver) {
        const mine = { ...tenant, api: Client.withKey(current, tenant.key) };
        const { connectionId } = connections[(at + uses) % connections.length]!;
        uses += 1;
        const answers = [
          await ask(mine, connectionId),
          await read(mine, connectionId),
          await change(mine, connectionId, { API_KEY: KEY }),
        ];
        for (const { status, text } of answers) if (status !== 200) failures.push(`${status} ${text}`);
        await turn();
      }
    };
    const clients = [0, 10, 20].map(traffic);
    const processes = [current];
    /** Starts the next process first, so that the old one answers until the clients use the new one. */
    const continueWith = async (keys: string) => {
      current = await start(keys);
      processes.push(current);
      const before = uses;
      await eventually(
        () => uses,
        (now) => now > before + 10,
      );
    };
    await continueWith(`${OLD},${NEW}:standby`);
    await continueWith(`${OLD},${NEW}`);

    const admin = administratorOf(current);
    await admin.post('/api/admin/v1/master-keys/rewrap');
    await eventually(
      async () =>
        (await admin.get<{ data: { number: number; records: number }[] }>('/api/admin/v1/master-keys')).body.data,
      (keys) => keys.some(({ number, records }) => number === 1 && records === 0),
    );
    await continueWith(NEW);
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(double.calls.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
    await Promise.all([...processes.map((process) => process.kill()), double.stop()]);
  },
  WITHIN_MS,
);
