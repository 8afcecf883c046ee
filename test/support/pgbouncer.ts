import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../scripts/services/server-process.mjs';

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).error === undefined);

export type PoolMode = 'session' | 'transaction' | 'statement';

/** Starts a PgBouncer, which by default gives each transaction one of a few connections of the server. */
export async function startPgBouncer(
  databaseUrl: string,
  connections: number,
  poolMode: PoolMode = 'transaction',
  settings = '',
) {
  if (!PROGRAM) throw new Error('Install PgBouncer for this test: `apt-get install pgbouncer`');
  const folder = mkdtempSync(join(tmpdir(), 'slipway-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl);
  const server = `host=${hostname} port=${serverPort} user=${username}${password && ` password=${password}`}`;
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]\n${pathname.slice(1)} = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = any\npool_mode = ${poolMode}\ndefault_pool_size = ${connections}\n` +
      `max_client_conn = 200\nserver_tls_sslmode = disable\n${settings}\n`,
  );
  chmodSync(folder, 0o755);
  // PgBouncer refuses to run as root.
  const asUser = userInfo().uid === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(PROGRAM, ['-q', ...asUser, file], { stdio: 'ignore' });
  await untilListening(port);
  return {
    url: `postgresql://${username}@127.0.0.1:${port}${pathname}`,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(100);
  }
  throw new Error('PgBouncer does not listen');
}
