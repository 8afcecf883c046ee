import { existsSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { QUEUES } from '../../src/kernel/queues.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { settingsSchema } from '../../src/platform/config/settings-schema.js';
import { committedOpenApi } from '../support/committed-open-api.js';
import type { KubernetesObject } from './cluster.js';
import { Helm, type Rendered, type Values } from './helm.js';
import { faultsOf } from './kubernetes.js';
import { adapterRules, pathOf, RULES } from './queries.js';
import { CLUSTERED, EVERYTHING, LEAST, SECRETS } from './values.js';
import { environmentOf, ofKind, only, type Pod, podsOf, secretsOf, selects, type Selector } from './workloads.js';

const read = (path: string) => readFileSync(pathOf(path), 'utf8');
const settingNames = Object.keys(settingsSchema.shape);
const { paths } = committedOpenApi();
const imagePort = Number(/ PORT=(\d+)/.exec(read('Dockerfile'))![1]);

/** A Service, as far as it chooses pods. */
interface Behind {
  spec: { selector: Record<string, string> };
}

interface Autoscaler {
  spec: {
    scaleTargetRef: { kind: string; name: string };
    metrics: { external?: { metric: { name: string; selector: Selector } } }[];
  };
}

const helm = await Helm.start();
afterAll(() => helm.stop());

const rendered = {
  least: await helm.render(LEAST),
  everything: await helm.render(EVERYTHING),
  clustered: await helm.render(CLUSTERED),
};
const all = Object.entries(rendered);
const everyPod = all.flatMap(([values, { objects, hooks }]) =>
  podsOf([...objects, ...hooks]).map((pod) => [`${pod.of} with ${values}`, pod, objects] as const),
);
const servingPods = everyPod.filter(([, { container }]) => container.ports);

describe.each(all)('with %s, the chart', (_, { objects, hooks }) => {
  it.each([...objects, ...hooks].map((each) => [each.kind, each.metadata.name, each] as const))(
    'makes a valid %s %s',
    (_kind, _name, object) => {
      expect(faultsOf(object)).toEqual([]);
    },
  );

  it('gives each object a name of its own, and the labels of Helm', () => {
    const names = [...objects, ...hooks].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    for (const { metadata } of [...objects, ...hooks]) {
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': 'shop', 'helm.sh/chart': 'slipway-0.1.0' });
    }
  });

  it('selects with each Deployment its own pods alone, and has a budget for them', () => {
    const pods = podsOf(objects);
    for (const { metadata, spec } of ofKind<{ spec: { selector: Selector } }>(objects, 'Deployment')) {
      const { matchLabels } = spec.selector;
      expect(pods.filter(({ labels }) => selects(matchLabels, labels)).map(({ of }) => of)).toEqual([metadata.name]);
      const budget = only(objects, 'PodDisruptionBudget', metadata.name);
      expect(budget.spec).toMatchObject({ selector: { matchLabels } });
    }
  });

  it('has a Service before the pods for requests alone', () => {
    const { spec } = only<Behind>(objects, 'Service', 'shop-slipway');
    const behind = podsOf(objects).filter(({ labels }) => selects(spec.selector, labels));
    expect(behind.map(({ of }) => of)).toEqual(['shop-slipway-api']);
  });

  it('has pools that together take every queue', () => {
    const pools = podsOf(objects).map((pod) => readSettings(settingsOf(pod, objects)));
    const taken = pools.flatMap((settings) =>
      settings.SLIPWAY_ROLE === 'worker' ? [...settings.SLIPWAY_QUEUES.keys()] : [],
    );
    expect(taken.sort()).toEqual([...QUEUES].sort());
    expect(pools.filter(({ SLIPWAY_ROLE: role }) => role === 'api')).toHaveLength(1);
  });

  it('leaves nothing of a migration that succeeded, and what failed for its log', () => {
    for (const { metadata } of hooks) {
      const policy = metadata.annotations?.['helm.sh/hook-delete-policy']?.split(',');
      expect(policy).toEqual(['before-hook-creation', 'hook-succeeded']);
    }
    const { spec } = ofKind<{ spec: { ttlSecondsAfterFinished: number } }>(hooks, 'Job')[0]!;
    expect(spec.ttlSecondsAfterFinished).toBe(7 * 24 * 3600);
  });

  it('migrates before all else, with nothing that the release makes', () => {
    expect(hooks.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Job']);
    const [migration] = podsOf(hooks) as [Pod];
    expect(migration.container.command).toEqual(['node', 'dist/bundle/migrate.js']);
    expect(existsSync(pathOf('dist/bundle/migrate.js'))).toBe(true);
    expect(migration.container.envFrom).toBeUndefined();
    expect(migration.spec.serviceAccountName).toBeUndefined();
    const { spec } = only<{ spec: { podSelector: Selector } }>(hooks, 'NetworkPolicy', 'shop-slipway-migration');
    expect(selects(spec.podSelector.matchLabels, migration.labels)).toBe(true);
    expect(podsOf(objects).some(({ labels }) => selects(spec.podSelector.matchLabels, labels))).toBe(false);
  });
});

describe.each(everyPod)('the pod of %s', (_, pod, objects) => {
  it('has settings that exist, and with which the service starts', () => {
    const settings = environmentOf(pod, objects, (name) => SECRETS[name]);
    const own = ['ACME_GREETING', 'NODE_EXTRA_CA_CERTS'];
    expect(Object.keys(settings).filter((name) => ![...settingNames, ...own].includes(name))).toEqual([]);
    const names = pod.container.env.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(() => readSettings({ DATA_DIR: '/data', ...settings })).not.toThrow();
  });

  it('may do nothing that it does not need', () => {
    const { MODEL_HOST: host, SLIPWAY_ROLE: role } = readSettings(settingsOf(pod, objects));
    const hostsInCluster = host === 'kubernetes' && role === 'worker';
    expect(pod.spec).toMatchObject({ automountServiceAccountToken: hostsInCluster, enableServiceLinks: false });
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const writable = pod.container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(writable).toEqual(expect.arrayContaining(['/data', '/tmp']));
  });
});

describe.each(servingPods)('the process of %s', (_, pod, objects) => {
  const { container, spec } = pod;

  it('listens everywhere, also by IPv6 if it is told to', () => {
    const isEverything = objects === rendered.everything.objects;
    expect(readSettings(settingsOf(pod, objects)).HOST).toBe(isEverything ? '::' : '0.0.0.0');
  });

  it('serves models at the address of its pod, if it serves any', () => {
    const { SLIPWAY_ROLE: role, MODEL_HOST_ADDRESS: address } = readSettings(settingsOf(pod, objects));
    expect(address).toBe(role === 'worker' ? 'fd00:10:244::7' : '127.0.0.1');
  });

  it('is asked for its health at routes that exist, on the port of the image', () => {
    expect(container.ports).toEqual([{ name: 'http', containerPort: imagePort }]);
    for (const probe of [container.startupProbe!, container.livenessProbe!, container.readinessProbe!]) {
      expect(Object.keys(paths)).toContain(probe.httpGet.path);
      expect(probe.httpGet.port).toBe('http');
    }
    // The patience of src/platform/database/migrate.ts.
    expect(container.startupProbe!.periodSeconds * container.startupProbe!.failureThreshold).toBeGreaterThan(600);
  });

  it('has time to be noticed, and then to end', () => {
    const { data } = only<{ data: Record<string, string> }>(objects, 'ConfigMap', 'shop-slipway');
    const delay = Number(data.STOP_DELAY_SECONDS);
    const { periodSeconds, failureThreshold } = container.readinessProbe!;
    expect(delay).toBeGreaterThan(periodSeconds * failureThreshold);
    // docs/running.md: with a delay of 2 seconds, it ends within 25.
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(delay + 23);
  });
});

describe('the image', () => {
  it('has the version of the service, or the digest', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const images = ({ objects, hooks }: Rendered) => podsOf([...objects, ...hooks]).map((pod) => pod.container.image);
    expect(new Set(images(rendered.least))).toEqual(new Set([`registry.example.com/slipway:${version}`]));
    expect(new Set(images(rendered.everything))).toEqual(
      new Set([`registry.example.com/slipway@sha256:${'0'.repeat(64)}`]),
    );
  });
});

describe('the secrets', () => {
  it('are references, of which the needed ones are not optional', () => {
    for (const [, pod] of everyPod) {
      const refs = secretsOf(pod);
      const needed = Object.keys(refs).filter((name) => !refs[name]!.optional);
      expect(needed).toEqual(expect.arrayContaining(Object.keys(SECRETS).filter((name) => name !== 'METRICS_TOKEN')));
      expect(refs.SLIPWAY_ADMIN_KEY).toMatchObject({ optional: true });
    }
    const refs = secretsOf(podsOf(rendered.everything.objects)[0]!);
    expect(refs.DATABASE_URL).toEqual({ name: 'postgres-app', key: 'uri' });
    expect(refs.METRICS_TOKEN).toEqual({ name: 'slipway', key: 'metrics' });
    expect(refs.REDIS_URL).toEqual({ name: 'slipway', key: 'REDIS_URL' });
  });

  it('are all settings that look like secrets, and none is accepted as a plain one', async () => {
    const secret = settingNames.filter((name) =>
      /^(DATABASE_(DIRECT_|READ_)?URL|REDIS_URL)$|(?<!_PER)(_KEYS?|_SECRETS?|_TOKEN|_PEPPER|_HEADERS)$/.test(name),
    );
    const settings = Object.fromEntries(secret.map((name) => [name, 'x']));
    const refusal = await refusalOf({ ...LEAST, settings: { ...settings, STORAGE_URL: 's3://files/x' } });
    for (const name of secret) expect(refusal).toContain(`settings.${name} is a secret`);
    expect(refusal.match(/^- /gm)).toHaveLength(secret.length);
  });
});

describe('the monitoring', () => {
  const { objects } = rendered.everything;

  it('reads the metrics of every process with the token that the processes have', () => {
    const { spec } = only<{ spec: { selector: Selector } }>(objects, 'ServiceMonitor', 'shop-slipway');
    const services = ofKind<Behind>(objects, 'Service').filter(({ metadata }) =>
      selects(spec.selector.matchLabels, metadata.labels),
    );
    expect(services).toMatchObject([{ spec: { ports: [{ name: 'http', targetPort: 'http' }] } }]);
    expect(podsOf(objects).every(({ labels }) => selects(services[0]!.spec.selector, labels))).toBe(true);
    const credentials = { name: 'slipway', key: 'metrics' };
    expect(spec).toMatchObject({ endpoints: [{ port: 'http', path: '/metrics', authorization: { credentials } }] });
    expect(Object.keys(paths)).toContain('/metrics');
  });

  it('has the alerts of deploy/prometheus', () => {
    expect(only(objects, 'PrometheusRule', 'shop-slipway').spec).toEqual(load(readFileSync(RULES, 'utf8')));
  });
});

describe('the autoscalers', () => {
  const { objects } = rendered.everything;
  const autoscalers = ofKind<Autoscaler>(objects, 'HorizontalPodAutoscaler').map(({ metadata, spec }) => ({
    name: metadata.name,
    target: only(objects, spec.scaleTargetRef.kind, spec.scaleTargetRef.name),
    asked: spec.metrics.flatMap(({ external }) => (external ? [external.metric] : [])),
  }));

  it('ask for metrics that the rules of the adapter make', () => {
    const asked = autoscalers.flatMap((each) => each.asked.map(({ name }) => name));
    expect(new Set(asked)).toEqual(new Set(adapterRules().map(({ of }) => of)));
  });

  it.each(autoscalers)('$name follows the queues of its own pool, and alone decides about its pods', (autoscaler) => {
    const { target, asked } = autoscaler;
    expect(target.metadata.name).toBe(autoscaler.name);
    expect(target.spec).not.toHaveProperty('replicas');
    const [pod] = podsOf([target]) as [Pod];
    const served = pod.container.env.find(({ name }) => name === 'SLIPWAY_QUEUES')?.value?.split(',') ?? [];
    const followed = asked.map(({ selector }) => selector.matchLabels.queue).filter((queue) => queue !== undefined);
    expect(new Set(followed)).toEqual(new Set(served.map((text) => text.split(':')[0])));
    for (const { selector } of asked) expect(selector.matchLabels.app_kubernetes_io_instance).toBe('shop');
  });
});

it('the notes ask for the Prometheus adapter only if an autoscaler needs it', async () => {
  const notesWith = async (api: Values) => (await helm.render({ ...LEAST, api })).notes;
  expect(await notesWith({ autoscaling: { enabled: true, p95Seconds: 1 } })).toContain('prometheus-adapter');
  expect(await notesWith({ autoscaling: { enabled: false, p95Seconds: 1 } })).not.toContain('prometheus-adapter');
  expect(await notesWith({ autoscaling: { enabled: true } })).not.toContain('prometheus-adapter');
  expect(rendered.everything.notes).toContain('prometheus-adapter');
});

function settingsOf(pod: Pod, objects: KubernetesObject[]) {
  return { DATA_DIR: '/data', ...environmentOf(pod, objects, (name) => SECRETS[name]) };
}

async function refusalOf(values: Values): Promise<string> {
  return helm.render(values).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}
