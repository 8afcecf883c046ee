import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { KubernetesObject } from './cluster.js';
import { Helm, type Values } from './helm.js';
import { faultsOf } from './kubernetes.js';
import { pathOf } from './queries.js';
import { LEAST } from './values.js';
import { environmentOf, ofKind, only, podsOf, secretsOf } from './workloads.js';

const helm = await Helm.start();
const least = await helm.render(LEAST);
afterAll(() => helm.stop());
afterEach(() => {
  helm.cluster.objects = [];
});

const refusalOf = (values: Values, place?: { release: string }) =>
  helm.render(values, place).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

const IMAGE = LEAST.image as Values;
const digest = `sha256:${'0'.repeat(64)}`;

/** The values with which a chart is refused, and the sentence that says how to mend them. */
const REFUSED: [string, Values, RegExp][] = [
  ['no values at all', {}, /image\.repository is missing\.[^]+secrets\.existingSecret is missing\.[^]+STORAGE_URL/],
  [
    'no Secret',
    { ...LEAST, secrets: {} },
    /- secrets\.existingSecret is missing\. Make a Secret with the keys DATABASE_/,
  ],
  ['no image', { ...LEAST, image: {} }, /- image\.repository is missing\./],
  ['the tag latest', { ...LEAST, image: { repository: 'a', tag: 'latest' } }, /- image\.tag is `latest`/],
  [
    'an unknown secret',
    { ...LEAST, secrets: { existingSecret: 's', refs: { PASSWORD: { key: 'a' } } } },
    /refs\.PASSWORD/,
  ],
  [
    'an unknown setting',
    { ...LEAST, pluginSettings: {}, settings: settings({ WORKER_SLOT: 3 }) },
    /settings\.WORKER_SLOT is no/,
  ],
  ['a setting of the image', { ...LEAST, settings: settings({ PORT: 80 }) }, /settings\.PORT cannot be set: the image/],
  [
    'an unknown setting of a pool',
    pool({ queues: ['dock'], settings: { NO: 'x' } }),
    /workers\.more\.settings\.NO is no/,
  ],
  [
    'a secret in a pool',
    pool({ queues: ['dock'], settings: { OPENAI_API_KEY: 'x' } }),
    /more\.settings\.OPENAI_API_KEY is a secret/,
  ],
  [
    'a setting of Slipway among those of plugins',
    { ...LEAST, pluginSettings: { MODEL_HOST: 'kubernetes' } },
    /pluginSettings\.MODEL_HOST is a setting of Slipway/,
  ],
  [
    'another place for files of a pool',
    pool({ queues: ['dock'], settings: { STORAGE_URL: 's3://other/x' } }),
    /workers\.more\.settings\.STORAGE_URL has to be the same for all processes\. Put it into settings\./,
  ],
  [
    'another address of the processes for requests',
    { ...LEAST, api: { settings: { PUBLIC_URL: 'https://slipway.example.com' } } },
    /api\.settings\.PUBLIC_URL has to be the same/,
  ],
  ['a tag beside a digest', { ...LEAST, image: { ...IMAGE, tag: '1', digest } }, /image\.tag and image\.digest both/],
  [
    'the name of an account to be made',
    { ...LEAST, serviceAccount: { name: 'own' } },
    /serviceAccount\.name is that of/,
  ],
  ['no place for files', { ...LEAST, settings: {} }, /settings\.STORAGE_URL names no place that all pods share/],
  [
    'a folder of one pod',
    { ...LEAST, settings: { STORAGE_URL: 'file:/data/x' } },
    /settings\.STORAGE_URL names no place/,
  ],
  ['two places for files', { ...LEAST, storage: { existingClaim: 'files' } }, /both say where the files are/],
  [
    'a queue without a pool',
    { ...LEAST, workers: { background: null } },
    /takes the queue dock[^]+takes the queue upkeep/,
  ],
  ['an unknown queue', pool({ queues: ['turn'] }), /at '\/workers\/more/],
  ['a pool without queues', pool({ replicas: 3 }), /at '\/workers\/more/],
  ['a wrong name of a pool', { ...LEAST, workers: { 'The Pool': { queues: ['dock'] } } }, /'The Pool' not allowed/],
  [
    'an ingress without a host',
    { ...LEAST, ingress: { enabled: true } },
    /ingress\.host is missing[^]+ingress\.tlsSecret is/,
  ],
  ['metrics behind a policy', { ...LEAST, serviceMonitor: { enabled: true } }, /networkPolicy\.metricsFrom is empty/],
  [
    'no reason to scale',
    { ...LEAST, api: { autoscaling: { enabled: true, cpuPercent: 0 } } },
    /api\.autoscaling has no reason/,
  ],
  [
    'a wrong range',
    pool({ queues: ['dock'], autoscaling: { enabled: true, minReplicas: 99 } }),
    /more\.autoscaling\.minReplicas is 99, which is more than maxReplicas, 10\./,
  ],
  ['an address of one network', { ...LEAST, listenAddress: '10.0.0.1' }, /at '\/listenAddress'/],
  ['an unknown value', { ...LEAST, replicaCount: 2 }, /additional properties 'replicaCount' not allowed/],
  ['a wrong type', { ...LEAST, api: { replicas: 'two' } }, /at '\/api\/replicas': got string, want integer/],
  ['a delay that no balancer notices', { ...LEAST, stopDelaySeconds: 2 }, /at '\/stopDelaySeconds'/],
  [
    'a switch without quotes',
    { ...LEAST, settings: settings({ CONSOLE: false }) },
    /at '\/settings\/CONSOLE': got boolean/,
  ],
];

it.each(REFUSED)('the chart refuses %s', async (_, values, sentence) => {
  expect(await refusalOf(values)).toMatch(sentence);
});

it('the chart names all faults at once', async () => {
  const refusal = await refusalOf({ settings: { PORT: 80, WORKER_SLOT: 1 }, ingress: { enabled: true } });
  expect(refusal.match(/^- /gm)).toHaveLength(7);
});

describe('in a cluster', () => {
  const NAMESPACE = 'apps';
  const rootCertificate = object('v1', 'ConfigMap', 'kube-root-ca.crt', {});
  const keys = ['DATABASE_URL', 'REDIS_URL', 'SLIPWAY_PEPPER', 'SLIPWAY_MASTER_KEYS', 'SLIPWAY_LINK_SECRETS'];
  const secretWith = (names: string[]) =>
    object('v1', 'Secret', 'slipway', { data: Object.fromEntries(names.map((name) => [name, 'eA=='])) });

  function object(apiVersion: string, kind: string, name: string, rest: object): KubernetesObject {
    return { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, ...rest };
  }

  it('the chart is accepted with its Secret', async () => {
    helm.cluster.objects = [rootCertificate, secretWith(keys)];
    expect(await refusalOf(LEAST)).toBe('accepted');
  });

  it('the chart says that the Secret is missing', async () => {
    helm.cluster.objects = [rootCertificate];
    expect(await refusalOf(LEAST)).toContain('- The namespace apps has no Secret slipway. Make it first,');
  });

  it('the chart names each key that the Secret lacks, and none that is elsewhere', async () => {
    helm.cluster.objects = [rootCertificate, secretWith(keys.slice(2, 4))];
    const refs = { DATABASE_URL: { name: 'postgres-app', key: 'uri' }, REDIS_URL: { key: 'redis' } };
    const refusal = await refusalOf({ ...LEAST, secrets: { existingSecret: 'slipway', refs } });
    expect(refusal.match(/has no key \w+/g)).toEqual(['has no key redis', 'has no key SLIPWAY_LINK_SECRETS']);
  });

  it('the chart needs the token for metrics in the Secret if Prometheus reads them with it', async () => {
    const monitored = { ...LEAST, serviceMonitor: { enabled: true }, networkPolicy: { enabled: false } };
    helm.cluster.objects = [rootCertificate, secretWith(keys)];
    expect(await refusalOf(monitored)).toContain('- The Secret slipway has no key METRICS_TOKEN. Add it;');
    helm.cluster.objects = [rootCertificate, secretWith([...keys, 'METRICS_TOKEN'])];
    expect(await refusalOf(monitored)).toBe('accepted');
  });

  it('a second release is refused while another one uses the same Secret', async () => {
    const { objects } = await helm.render(LEAST, { release: 'first' });
    helm.cluster.objects = objects.map((each) => ({ ...each, metadata: { ...each.metadata, namespace: NAMESPACE } }));
    const refusal = await refusalOf(LEAST, { release: 'second' });
    expect(refusal).toContain('- The release first in this namespace already uses the Secret slipway');
    expect(refusal).toContain('helm upgrade first');
    expect(refusal.match(/^- /gm)).toHaveLength(1);
    expect(await refusalOf({ ...LEAST, secrets: { existingSecret: 'other' } }, { release: 'second' })).toBe('accepted');
  });
});

it('two releases share no object, no selector and no key of Redis', async () => {
  const [one, two] = [await helm.render(LEAST, { release: 'one' }), await helm.render(LEAST, { release: 'two' })];
  const names = [one, two].map(({ objects, hooks }) =>
    [...objects, ...hooks].map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );
  expect(new Set(names[0]).intersection(new Set(names[1]))).toEqual(new Set());
  const prefixes = [only(one.objects, 'ConfigMap', 'one-slipway'), only(two.objects, 'ConfigMap', 'two-slipway')];
  const [first, second] = prefixes.map(({ data }) => (data as Record<string, string>).REDIS_PREFIX);
  expect(first).toMatch(/^slipway-\w{12}$/);
  expect(first).not.toBe(second);
  for (const { labels } of podsOf(two.objects)) expect(labels['app.kubernetes.io/instance']).toBe('two');
});

it('the chart is valid with all that can be switched off, and with another name', async () => {
  const off = { networkPolicy: { enabled: false }, serviceAccount: { create: false, name: 'own' } };
  const { objects, hooks } = await helm.render({ ...LEAST, ...off, fullnameOverride: 'assistant' });
  expect([...objects, ...hooks].flatMap(faultsOf)).toEqual([]);
  const kinds = [...objects, ...hooks].map(({ kind }) => kind);
  expect(kinds).not.toContain('NetworkPolicy');
  expect(kinds).not.toContain('ServiceAccount');
  expect(podsOf(objects).map(({ spec }) => spec.serviceAccountName)).toEqual(['own', 'own', 'own']);
  for (const { metadata } of [...objects, ...hooks]) expect(metadata.name).toMatch(/^assistant/);
});

it('names that look like numbers stay names', async () => {
  const { objects, hooks } = await helm.render(
    { ...LEAST, secrets: { existingSecret: '1e3' }, fullnameOverride: '42', priorityClassName: '7' },
    { release: '123' },
  );
  expect([...objects, ...hooks].flatMap(faultsOf)).toEqual([]);
  for (const { labels } of podsOf([...objects, ...hooks])) expect(labels['app.kubernetes.io/instance']).toBe('123');
  for (const { name } of Object.values(secretsOf(podsOf(hooks)[0]!))) expect(name).toBe('1e3');
});

it('settings keep their dollar signs', async () => {
  const GREETING = 'US$$ 5 or $(HOME)';
  const { objects, hooks } = await helm.render({
    ...LEAST,
    pluginSettings: { GREETING },
    api: { settings: { OTEL_SERVICE_NAME: GREETING } },
  });
  for (const pod of podsOf([...objects, ...hooks]))
    expect(environmentOf(pod, objects, () => undefined)).toMatchObject({ GREETING });
  expect(
    environmentOf(
      podsOf(objects).find(({ of }) => of === 'shop-slipway-api')!,
      objects,
      () => undefined,
    ),
  ).toMatchObject({
    OTEL_SERVICE_NAME: GREETING,
  });
});

it('the longest names still fit', async () => {
  const release = 'a'.repeat(53);
  const { objects, hooks } = await helm.render(
    { ...LEAST, workers: { ['p'.repeat(15)]: { queues: ['dock'] } } },
    { release },
  );
  for (const each of [...objects, ...hooks]) {
    expect(each.metadata.name.length).toBeLessThanOrEqual(63);
    for (const label of Object.values(each.metadata.labels!)) expect(label.length).toBeLessThanOrEqual(63);
  }
});

it('the schemas refuse an unknown field, a wrong type and an unknown kind', () => {
  const service = only(least.objects, 'Service', 'shop-slipway');
  expect(faultsOf({ ...service, spec: { ...(service.spec as object), ports: [{ port: 80, prot: 'TCP' }] } })).toEqual([
    '/spec/ports/0/prot is unknown',
  ]);
  expect(faultsOf({ ...service, specs: {} })).toEqual(['/specs is unknown']);
  expect(faultsOf({ ...service, spec: { ports: [{ port: 'http' }] } })).toHaveLength(1);
  expect(faultsOf({ ...service, kind: 'Servis' })).toEqual(['There is no schema of v1 Servis.']);
});

describe('docs/kubernetes.md', () => {
  const page = readFileSync(pathOf('docs/kubernetes.md'), 'utf8');
  const examples = [...page.matchAll(/^( *)```yaml\n([^]+?)\n *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

  it.each(examples)('has values that the chart accepts: %s', async (text) => {
    expect(await refusalOf(merged(LEAST, load(text) as Values))).toBe('accepted');
  });

  it('explains each value and no other', () => {
    const values = load(readFileSync(pathOf('deploy/helm/slipway/values.yaml'), 'utf8')) as Values;
    const rows = page.slice(page.indexOf('## All values')).matchAll(/^\| (`[^|]+`) +\|/gm);
    const explained = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)/g)].map(([, name]) => name!));
    expect(new Set(explained)).toEqual(new Set(Object.keys(values)));
  });

  it('lets Helm wait for longer than a migration may take', () => {
    const commands = [...page.matchAll(/^ *helm (install|upgrade) slipway .* --timeout (\d+)m$/gm)];
    expect(commands.map(([, verb]) => verb)).toEqual(['install', 'upgrade']);
    const [job] = ofKind<{ spec: { activeDeadlineSeconds: number } }>(least.hooks, 'Job');
    for (const [, , minutes] of commands) expect(Number(minutes) * 60).toBeGreaterThan(job!.spec.activeDeadlineSeconds);
  });

  it('makes a Secret with each key that the chart needs', () => {
    const made = [...page.matchAll(/^ *([A-Z_]+)=/gm)].map(([, name]) => name);
    const needed = Object.entries(secretsOf(podsOf(least.hooks)[0]!)).filter(([, { optional }]) => !optional);
    expect(made).toEqual(expect.arrayContaining(needed.map(([name]) => name)));
  });
});

/** Merges values as Helm does with several files. */
function merged(values: Values, more: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(more).map(([name, value]) => {
    const before = values[name];
    return [name, isMap(before) && isMap(value) ? merged(before, value) : value];
  });
  return { ...values, ...(Object.fromEntries(entries) as Values) };
}

function settings(more: Values): Values {
  return { STORAGE_URL: 's3://files/slipway', ...more };
}

function pool(more: Values): Values {
  return { ...LEAST, workers: { more } };
}
