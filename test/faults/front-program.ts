import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { freePort } from '../../scripts/services/server-process.mjs';
import { makeCertificate } from '../support/certificate.js';

export const FRONTS = ['haproxy', 'nginx', 'caddy'] as const;
type FrontName = (typeof FRONTS)[number];

const RELOADED_WITHIN_MS = 1_000;

/** A load balancer that runs with its example of docs/running.md, or Caddy with the file of compose.yaml. */
export interface Front {
  readonly url: string;
  /** Where it leads requests of HTTP to `url`. The examples of the others say nothing about HTTP. */
  readonly httpUrl?: string;
  /** The certificate that clients have to trust. */
  readonly certificate: string;
  /** Marks a server as `down`, or no longer, as docs/running.md tells operators of NGINX. HAProxy needs no such step. */
  setDown?(place: 0 | 1, isDown: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly servers: readonly [number, number];
  readonly port: number;
  readonly httpPort: number;
}

interface Program {
  example(): string;
  /** Replaces addresses, ports and files of the example. */
  replacements(place: Place): Record<string, string>;
  /** Makes a complete configuration of the example. */
  complete(example: string, folder: string): string;
  check: string[];
  run: string[];
  environment?(folder: string): Record<string, string>;
  /** The file of the certificate that clients have to trust. */
  certificate: string;
}

/** The folders of NGINX that only root may write to by default. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const PROGRAMS: Record<FrontName, Program> = {
  haproxy: {
    example: () => exampleOf('haproxy'),
    replacements: ({ folder, servers, port }) => ({
      '10.0.0.5:3000': `127.0.0.1:${servers[0]}`,
      '10.0.0.6:3000': `127.0.0.1:${servers[1]}`,
      ':443': `127.0.0.1:${port}`,
      '/etc/ssl/slipway': join(folder, 'slipway'),
    }),
    complete: (example) => example,
    check: ['-c', '-f'],
    run: ['-db', '-f'],
    certificate: 'slipway.crt',
  },
  nginx: {
    example: () => exampleOf('nginx'),
    replacements: ({ folder, servers, port }) => ({
      '10.0.0.5:3000': `127.0.0.1:${servers[0]}`,
      '10.0.0.6:3000': `127.0.0.1:${servers[1]}`,
      'listen 443': `listen 127.0.0.1:${port}`,
      '/etc/ssl/slipway': join(folder, 'slipway'),
    }),
    // The example stands inside of `http`, where Debian's nginx.conf includes the files of sites-enabled.
    complete: (example, folder) =>
      `pid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n` +
      TEMPORARY.map((kind) => `${kind}_temp_path ${folder}/${kind};\n`).join('') +
      `${example}\n}\n`,
    check: ['-t', '-e', 'stderr', '-c'],
    run: ['-e', 'stderr', '-g', 'daemon off;', '-c'],
    certificate: 'slipway.crt',
  },
  caddy: {
    example: () => readFileSync(new URL('../../config/Caddyfile', import.meta.url), 'utf8'),
    replacements: ({ servers, port, httpPort }) => ({
      'api-1:3000': `127.0.0.1:${servers[0]}`,
      'api-2:3000': `127.0.0.1:${servers[1]}`,
      'admin off': `admin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${httpPort}\n\thttps_port ${port}`,
    }),
    complete: (example) => example,
    check: ['validate', '--adapter', 'caddyfile', '--config'],
    run: ['run', '--adapter', 'caddyfile', '--config'],
    // Caddy makes the certificate of an address, or of a name of one's own network, by an authority of its own.
    environment: (folder) => ({ SLIPWAY_HOST: '127.0.0.1', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }),
    certificate: 'caddy/pki/authorities/local/root.crt',
  },
};

function pathOf(name: FrontName): string {
  const path = [name, `/usr/sbin/${name}`].find((one) => spawnSync(one, ['-v']).error === undefined);
  if (!path) throw new Error(`Install ${name} for this test: \`apt-get install ${name}\``);
  return path;
}

/** Returns the example of the program in docs/running.md. */
function exampleOf(name: FrontName): string {
  const page = readFileSync(new URL('../../docs/running.md', import.meta.url), 'utf8');
  const found = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(page);
  if (!found) throw new Error(`docs/running.md has no example for ${name}`);
  return found[1]!;
}

/** Starts the program with its example, in which only addresses, ports and the files of the certificate are replaced. */
export async function startFront(name: FrontName, servers: readonly [number, number]): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), `slipway-${name}-`));
  // If this process is root, the workers of NGINX run as another user, who has to reach their folders.
  chmodSync(folder, 0o755);
  const [port, httpPort] = [await freePort(), await freePort()];
  writeCertificate(folder);
  const program = PROGRAMS[name];
  const example = replaceEach(program.example(), program.replacements({ folder, servers, port, httpPort }));
  const env = { ...process.env, ...program.environment?.(folder) };
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, program.complete(example, folder));
  const path = pathOf(name);
  const checked = spawnSync(path, [...program.check, file], { encoding: 'utf8', env });
  const remarks = checked.stdout + checked.stderr;
  if (checked.status !== 0 || /warn/i.test(remarks)) throw new Error(`${name} does not accept its example: ${remarks}`);
  const child = spawn(path, [...program.run, file], { stdio: 'ignore', env });
  await untilListening(port, child);
  return {
    url: `https://127.0.0.1:${port}`,
    certificate: readFileSync(join(folder, program.certificate), 'utf8'),
    ...(name === 'caddy' && { httpUrl: `http://127.0.0.1:${httpPort}` }),
    ...(name === 'nginx' && {
      async setDown(place: 0 | 1, isDown: boolean) {
        const address = `127.0.0.1:${servers[place]}`;
        writeFileSync(
          file,
          program.complete(isDown ? replaceEach(example, { [address]: `${address} down` }) : example, folder),
        );
        // This signal is what `nginx -s reload` sends, which does not wait for the new workers either.
        child.kill('SIGHUP');
        await wait(RELOADED_WITHIN_MS);
      },
    }),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes the files that the examples name. */
function writeCertificate(folder: string): void {
  const { text, keyFile } = makeCertificate(folder, { ip: '127.0.0.1' });
  writeFileSync(join(folder, 'slipway.pem'), text + readFileSync(keyFile, 'utf8'));
}

function replaceEach(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((replaced, [from, to]) => {
    if (!replaced.includes(from)) throw new Error(`The example does not have ${from}`);
    return replaced.replaceAll(from, to);
  }, text);
}

/** Caddy listens a moment before it has its certificate. */
async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const isOpen = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(100);
  }
  throw new Error('The load balancer does not listen');
}
