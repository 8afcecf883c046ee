import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { readSettings } from '../../src/platform/config/settings.js';
import { NODE_OPTIONS } from '../../scripts/launcher/node-options.mjs';
import { settingsSchema } from '../../src/platform/config/settings-schema.js';
import { randomMasterKey, randomSecret } from '../support/settings.js';

/** No container runs here. The tests compare the files with the service that they start. */
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const exists = (path: string) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

interface ComposeService {
  image: string;
  build?: string;
  env_file?: string;
  environment: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  logging: object;
  volumes?: string[];
}

interface Compose {
  services: Record<string, ComposeService>;
  networks: { outside: { ipam: { config: { subnet: string }[] } } };
  volumes: Record<string, null>;
}

const composeFile = (path: string) => load(read(path), { schema: YAML11_SCHEMA }) as Compose;
const compose = composeFile('compose.yaml');
const dockerfile = read('Dockerfile');
const settingNames = Object.keys(settingsSchema.shape);
const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'slipway');

/** The names for which docs/running.md makes secrets, except for the numbered keys. */
const secretNames = /for name in (.+?); do/.exec(read('docs/running.md'))![1]!.split(' ');
const secrets = {
  ...Object.fromEntries(secretNames.map((name) => [name, randomSecret()])),
  SLIPWAY_MASTER_KEYS: `1:${randomMasterKey()}`,
  SLIPWAY_LINK_SECRETS: `1:${randomMasterKey()}`,
} as Record<string, string>;

/** Substitutes variables as Compose does: `${NAME}`, `${NAME:-otherwise}`, `${NAME:?complaint}`. */
const fillIn = (text: string) =>
  text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, otherwise?: string) => {
    const value = secrets[name] ?? otherwise;
    if (value === undefined) throw new Error(`docs/running.md makes no ${name}`);
    return value;
  });

const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
const last = stages.at(-1)!;
const environmentOfImage = environmentIn(last);

function environmentIn(stage: string): Record<string, string> {
  const found = [...stage.matchAll(/^(?:ENV| {3}) (\w+)=([^\s\\]+)/gm)];
  return Object.fromEntries(found.map(([, name, value]) => [name!, value!]));
}

/** Returns the files that instructions copy from the folder of the build. */
function copiedBy(text: string): string[] {
  return [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));
}

describe('compose.yaml', () => {
  it('starts two processes for requests and one for jobs, and builds their image once', () => {
    const roles = ours.map(([, { environment }]) => environment.SLIPWAY_ROLE).sort();
    expect(roles).toEqual(['api', 'api', 'worker']);
    expect(ours.filter(([, { build }]) => build !== undefined)).toHaveLength(1);
  });

  it.each(ours)('gives %s settings that exist and are sufficient', (_, { environment, env_file: envFile }) => {
    for (const name of Object.keys(environment)) expect(settingNames).toContain(name);
    expect(envFile).toBe('.env');
    const filled = Object.entries(environment).map(([name, value]) => [name, fillIn(value)] as const);
    const settings = readSettings({ ...environmentOfImage, ...secrets, ...Object.fromEntries(filled) });
    expect(settings).toMatchObject({ HOST: '0.0.0.0', PORT: 3000, SLIPWAY_ADMIN_KEY: secrets.SLIPWAY_ADMIN_KEY });
  });

  it('trusts the proxy about the addresses of clients', () => {
    const { subnet } = compose.networks.outside.ipam.config[0]!;
    for (const [, { environment }] of ours) expect(environment.TRUST_PROXY).toBe(subnet);
  });

  it('waits until its dependencies are healthy, and has health checks for them', () => {
    for (const { depends_on: needed = {} } of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(needed)) {
        expect(condition).toBe('service_healthy');
        const { image, healthcheck } = compose.services[name]!;
        expect(image === 'slipway' ? dockerfile.includes('\nHEALTHCHECK ') : healthcheck).toBeTruthy();
      }
    }
  });

  it('keeps data in declared volumes, and mounts existing files', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
      expect(source.startsWith('./') ? exists(source) : source in compose.volumes).toBe(true);
    }
  });

  it('has a proxy that forwards to the processes for requests', () => {
    const upstreams = ours.filter(([, { environment }]) => environment.SLIPWAY_ROLE === 'api').map(([name]) => name);
    const targets = upstreams.map((name) => `${name}:${environmentOfImage.PORT}`).join(' ');
    expect(read('config/Caddyfile')).toContain(`reverse_proxy ${targets} {`);
  });

  it('has a proxy that reads bodies before it forwards them, and logs nothing in which a key may be', () => {
    const caddyfile = read('config/Caddyfile');
    expect(caddyfile).toMatch(/^\t\trequest_buffers 1MiB$/m);
    for (const member of ['uri', 'headers']) expect(caddyfile).toContain(`\trequest>${member} delete\n`);
  });

  it('limits the log of each container', () => {
    for (const { logging } of Object.values(compose.services)) expect(logging).toEqual({ driver: 'local' });
  });

  it('contains no secret', () => {
    for (const { environment = {} } of Object.values(compose.services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (/PASSWORD|AUTH|_URL$/.test(name)) expect(value).toMatch(/\$\{\w+_PASSWORD:\?/);
      }
    }
  });
});

describe('compose.https.yaml', () => {
  const { services } = composeFile('compose.https.yaml');

  it('adds to services of compose.yaml, and gives each process the address that clients use', () => {
    expect(Object.keys(services).sort()).toEqual([...ours.map(([name]) => name), 'front'].sort());
    for (const [name] of ours) {
      expect(services[name]!.environment).toEqual({ PUBLIC_URL: 'https://${SLIPWAY_HOST:?see docs/running.md}' });
    }
  });

  it('tells the proxy the host name, without which it serves HTTP', () => {
    expect(read('config/Caddyfile')).toMatch(/^\{\$SLIPWAY_HOST::80\} \{$/m);
    expect(Object.keys(services.front!.environment)).toEqual(['SLIPWAY_HOST']);
  });

  it('keeps the certificates in a volume', () => {
    expect(compose.services.front!.volumes).toContain('front:/data');
  });
});

describe('the secrets that docs/running.md makes', () => {
  it('are all that Compose asks for; everything else is a setting', () => {
    const asked = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!);
    expect(secretNames).toEqual(expect.arrayContaining(asked));
    for (const name of secretNames) expect([...settingNames, ...asked]).toContain(name);
  });
});

describe('the Dockerfile', () => {
  it('uses the Node version of the tests', () => {
    const { dependencies } = JSON.parse(read('scripts/node/package.json')) as { dependencies: Record<string, string> };
    expect(/^ARG NODE_VERSION=(.+)$/m.exec(dockerfile)![1]).toBe(dependencies.node);
    expect(stages.every((stage) => /^FROM (node:\$\{NODE_VERSION\}|manifest)/.test(stage))).toBe(true);
  });

  it('sets only known settings', () => {
    for (const name of Object.keys(environmentOfImage)) expect([...settingNames, 'NODE_ENV']).toContain(name);
    expect(environmentOfImage).toMatchObject({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  });

  it('copies only existing files that .dockerignore lets through', () => {
    const sent = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
    const isSent = (path: string) => sent.some((each) => path === each || path.startsWith(`${each}/`));
    const copied = copiedBy(dockerfile);
    for (const path of copied) expect([path, exists(path), isSent(path)]).toEqual([path, true, true]);
    expect(copied).toEqual(expect.arrayContaining(sent));
  });

  it('leaves out development tools and their sources', () => {
    expect(last).toMatch(/^COPY --from=dependencies \S+node_modules node_modules$/m);
    expect(stages.find((stage) => stage.includes('AS dependencies'))).toContain(
      'npm ci --omit=dev --workspaces=false --ignore-scripts',
    );
    expect(last).not.toMatch(/COPY (--from=build \S+ )?(src|test|scripts|\.)( |$)/m);
  });

  it.each(['Dockerfile', 'examples/acme-knowledge/Dockerfile'])(
    'lets each installation in %s use a registry and a certificate authority of your own',
    (path) => {
      const text = read(path);
      const installations = text.match(/^RUN (?:.*\\\n)*.*npm (?:ci|install) /gm)!;
      for (const step of installations) {
        expect(step).toMatch(/--mount=type=secret,id=ca --mount=type=secret,id=npmrc /);
      }
      const files = /^ENV npm_config_cafile=\/run\/secrets\/ca \\\n +npm_config_userconfig=\/run\/secrets\/npmrc$/gm;
      expect(text.match(files)).toHaveLength(1);
      expect(text).not.toContain('# syntax=');
    },
  );

  it('runs the built service itself as the launcher does, as an unprivileged user', () => {
    expect(last).toMatch(/^USER (?!0)\d+:\d+$/m);
    expect(JSON.parse(/^CMD (.+)$/m.exec(last)![1]!)).toEqual(['node', ...NODE_OPTIONS, 'dist/bundle/main.js']);
    expect(exists('dist/bundle/main.js')).toBe(true);
  });
});

describe('the Dockerfile of the example plugin', () => {
  const FOLDER = 'examples/acme-knowledge';
  const example = read(`${FOLDER}/Dockerfile`);
  const lastOfExample = example.split(/^(?=FROM )/m).at(-1)!;
  const { scripts } = JSON.parse(read(`${FOLDER}/package.json`)) as { scripts: Record<string, string> };

  it("has the base, the settings and the user of Slipway's own image", () => {
    const major = /^ARG NODE_VERSION=(\d+)/m.exec(dockerfile)![1]!;
    const bases = [...example.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const [base] = /node:\S+/.exec(last)!;
    expect(new Set(bases)).toEqual(new Set([base.replace('${NODE_VERSION}', major)]));
    expect(environmentIn(lastOfExample)).toEqual({
      ...environmentOfImage,
      SLIPWAY_CONFIG: 'dist/slipway.config.js',
    });
    const linesOf = (stage: string) => stage.match(/^(?:USER|EXPOSE|RUN install) .+$/gm);
    expect(linesOf(lastOfExample)).toEqual(linesOf(last));
  });

  it('copies what the folder has, and what the installation puts there', () => {
    const installed = ['package-lock.json', 'slipway-*.tgz'];
    const missing = copiedBy(example).filter((path) => !installed.includes(path) && !exists(`${FOLDER}/${path}`));
    expect(missing).toEqual([]);
  });

  it('sends no packages and no compiled files of this machine', () => {
    const ignored = read(`${FOLDER}/.dockerignore`).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist']));
  });

  it('runs scripts that exist, and starts what `npm start` starts', () => {
    const run = [...example.matchAll(/npm run (\S+)/g)].map(([, script]) => script!);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(run));
    const command = JSON.parse(/^CMD (.+)$/m.exec(lastOfExample)![1]!) as string[];
    expect(command.join(' ')).toBe(scripts.start);
    expect(command).toEqual(expect.arrayContaining(NODE_OPTIONS));
  });
});
