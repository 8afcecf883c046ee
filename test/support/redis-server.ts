import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findRedis } from '../../scripts/services/redis-program.mjs';
import { freePort } from '../../scripts/services/server-process.mjs';
import type { Certificate } from './certificate.js';

/** The name in the certificates of the tests' servers. */
export const HOST_NAME = 'localhost';

export interface RedisAccess {
  readonly folder: string;
  readonly password: string;
  /** With it, a server takes connections with TLS alone, also from other servers. Its host is `HOST_NAME`. */
  readonly certificate?: Certificate;
}

type Directives = Record<string, string | number>;

/** A server of Redis, or one of its sentinels, as a process of its own. */
export class RedisServer {
  private constructor(
    readonly port: number,
    /** A connection to it. */
    readonly redis: Redis,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a server, and waits until it answers. */
  static async start(access: RedisAccess, directives: Directives = {}, port?: number): Promise<RedisServer> {
    const { password } = access;
    const own = { requirepass: password, masterauth: password, save: '', ...directives };
    return RedisServer.run(access, own, port ?? (await freePort()), { password });
  }

  /** Starts a sentinel, which needs no password itself. */
  static async startSentinel(access: RedisAccess, directives: Directives): Promise<RedisServer> {
    return RedisServer.run(access, directives, await freePort(), {}, ['--sentinel']);
  }

  private static async run(
    { folder, certificate }: RedisAccess,
    directives: Directives,
    port: number,
    user: RedisOptions,
    args: string[] = [],
  ): Promise<RedisServer> {
    const dir = join(folder, String(port));
    const file = join(dir, 'redis.conf');
    mkdirSync(dir);
    mkdirSync(join(folder, 'redis'), { recursive: true });
    const all = {
      bind: '127.0.0.1 -::1',
      dir,
      ...(certificate ? withTls(certificate, port) : { port }),
      ...directives,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`);
    writeFileSync(file, lines.join(''));
    const { command, env } = await findRedis({ dataDir: folder, log: () => undefined });
    const child = spawn(command, [file, ...args], { env, stdio: 'ignore' });
    const tls = certificate && toTlsOptions(certificate);
    const redis = new Redis({ host: '127.0.0.1', port, ...user, maxRetriesPerRequest: null, tls });
    redis.on('error', () => undefined);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('A server of Redis has ended')));
    ended.catch(() => undefined);
    await Promise.race([redis.ping(), ended]);
    return new RedisServer(port, redis, child);
  }

  /** Ends the server at once. Its connection is opened again and again. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    if (this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}

/** The certificate of the server is also that of its client, for a server that demands one. */
function toTlsOptions({ text, keyFile }: Certificate): RedisOptions['tls'] {
  return { ca: text, servername: HOST_NAME, cert: text, key: readFileSync(keyFile) };
}

function withTls({ file, keyFile }: Certificate, port: number): Directives {
  return {
    port: 0,
    'tls-port': port,
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
    'tls-auth-clients': 'no',
    'tls-cert-file': file,
    'tls-key-file': keyFile,
    'tls-ca-cert-file': file,
  };
}
