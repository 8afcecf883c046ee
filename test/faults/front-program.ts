import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../scripts/services/server-process.mjs';

export const FRONTS = ['haproxy', 'nginx'] as const;
type FrontName = (typeof FRONTS)[number];

const RELOADED_WITHIN_MS = 1_000;

/** A load balancer that runs with its example of docs/running.md. */
export interface Front {
  readonly url: string;
  /** The certificate that it shows, which clients have to trust. */
  readonly certificate: string;
  /** Marks a server as `down`, or no longer, as docs/running.md tells operators of NGINX. HAProxy needs no such step. */
  setDown?(place: 0 | 1, isDown: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Program {
  /** Makes a complete configuration of the example. */
  complete(example: string, folder: string): string;
  check: string[];
  run: string[];
}

/** The folders of NGINX that only root may write to by default. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const PROGRAMS: Record<FrontName, Program> = {
  haproxy: { complete: (example) => example, check: ['-c', '-f'], run: ['-db', '-f'] },
  nginx: {
    // The example stands inside of `http`, where Debian's nginx.conf includes the files of sites-enabled.
    complete: (example, folder) =>
      `pid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n` +
      TEMPORARY.map((kind) => `${kind}_temp_path ${folder}/${kind};\n`).join('') +
      `${example}\n}\n`,
    check: ['-t', '-e', 'stderr', '-c'],
    run: ['-e', 'stderr', '-g', 'daemon off;', '-c'],
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
  const port = await freePort();
  const certificate = makeCertificate(folder);
  const example = replaceEach(exampleOf(name), {
    '10.0.0.5:3000': `127.0.0.1:${servers[0]}`,
    '10.0.0.6:3000': `127.0.0.1:${servers[1]}`,
    ...(name === 'haproxy' ? { ':443': `127.0.0.1:${port}` } : { 'listen 443': `listen 127.0.0.1:${port}` }),
    '/etc/ssl/slipway': join(folder, 'slipway'),
  });
  const program = PROGRAMS[name];
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, program.complete(example, folder));
  const path = pathOf(name);
  const checked = spawnSync(path, [...program.check, file], { encoding: 'utf8' });
  const remarks = checked.stdout + checked.stderr;
  if (checked.status !== 0 || /warn/i.test(remarks)) throw new Error(`${name} does not accept its example: ${remarks}`);
  const child = spawn(path, [...program.run, file], { stdio: 'ignore' });
  await untilListening(port, child);
  return {
    url: `https://127.0.0.1:${port}`,
    certificate,
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

/** Writes the files that the examples name, and returns the certificate. */
function makeCertificate(folder: string): string {
  const [key, certificate] = [join(folder, 'slipway.key'), join(folder, 'slipway.crt')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const text = readFileSync(certificate, 'utf8');
  writeFileSync(join(folder, 'slipway.pem'), text + readFileSync(key, 'utf8'));
  return text;
}

function replaceEach(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((replaced, [from, to]) => {
    if (!replaced.includes(from)) throw new Error(`The example does not have ${from}`);
    return replaced.replaceAll(from, to);
  }, text);
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(100);
  }
  throw new Error('The load balancer does not listen');
}
