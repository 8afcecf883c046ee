import { readSettings } from '../../src/platform/config/settings.js';
import { Helm, type Values } from './helm.js';
import { faultsOf } from './kubernetes.js';
import { CLUSTERED, LEAST, SECRETS } from './values.js';
import { environmentOf, ofKind, only, type Pod, podsOf, selects, type Selector } from './workloads.js';

const helm = await Helm.start();
afterAll(() => helm.stop());
afterEach(() => {
  helm.cluster.objects = [];
});

interface Policy {
  spec: { podSelector: Selector; egress?: object[]; ingress?: object[] };
}

const { objects, hooks } = await helm.render(CLUSTERED);
const pods = podsOf(objects);
const HOSTING = 'shop-slipway-worker-background';
const OF_MODELS = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop-models' } } }];

const modelHostOf = (pod: Pod) => environmentOf(pod, objects, () => undefined).MODEL_HOST;
const policy = (name: string) => only<Policy>(objects, 'NetworkPolicy', name).spec;

it('all processes know the cluster, and run the image of the chart there', () => {
  expect(Object.fromEntries(pods.map((pod) => [pod.of, modelHostOf(pod)]))).toEqual({
    'shop-slipway-api': 'kubernetes',
    'shop-slipway-worker-turns': 'none',
    [HOSTING]: 'kubernetes',
  });
  for (const pod of pods) {
    expect(environmentOf(pod, objects, () => undefined)).toMatchObject({
      KUBERNETES_NAMESPACE: 'shop-models',
      KUBERNETES_IMAGE: pod.container.image,
      KUBERNETES_MODE: 'standard',
      PUBLIC_URL: 'https://slipway.example.com',
    });
  }
});

it('only the workers that host models have the account with rights, and its token', () => {
  const withToken = [...pods, ...podsOf(hooks)].filter(({ spec }) => spec.automountServiceAccountToken);
  expect(withToken.map(({ of, spec }) => [of, spec.serviceAccountName])).toEqual([[HOSTING, 'shop-slipway-models']]);
  const others = pods.filter(({ of }) => of !== HOSTING);
  expect(new Set(others.map(({ spec }) => spec.serviceAccountName))).toEqual(new Set(['shop-slipway']));
  expect(only(objects, 'ServiceAccount', 'shop-slipway-models')).toMatchObject({ automountServiceAccountToken: false });
});

it('the account may do what docs/models.md names, in the namespace of the models', () => {
  const verbs = ['get', 'list', 'create', 'update', 'delete'];
  const role = only<{ rules: object[] }>(objects, 'Role', 'slipway-models');
  expect(role.rules).toEqual([
    { apiGroups: ['serving.kserve.io'], resources: ['inferenceservices'], verbs },
    { apiGroups: [''], resources: ['secrets'], verbs },
  ]);
  const binding = only(objects, 'RoleBinding', 'slipway-models');
  expect(binding).toMatchObject({
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'slipway-models' },
    subjects: [{ kind: 'ServiceAccount', name: 'shop-slipway-models', namespace: 'apps' }],
  });
  expect([role, binding].map(({ metadata }) => metadata.namespace)).toEqual(['shop-models', 'shop-models']);
  expect(ofKind(objects, 'Role')).toHaveLength(1);
});

it('the workers that host models reach the API server, and all pods the replicas', () => {
  const { podSelector, egress } = policy('shop-slipway-models');
  const chosen = pods.filter(({ labels }) => selects(podSelector.matchLabels, labels));
  expect(chosen.map(({ of }) => of)).toEqual([HOSTING]);
  const apiServer = [{ ipBlock: { cidr: '10.96.0.1/32' } }];
  expect(egress).toEqual([{ ports: [{ port: 6443, protocol: 'TCP' }], to: apiServer }]);
  const everywhere = policy('shop-slipway');
  expect(pods.filter(({ labels }) => selects(everywhere.podSelector.matchLabels, labels))).toEqual(pods);
  expect(everywhere.egress).toContainEqual({ to: OF_MODELS });
  expect(policy('shop-slipway-api').ingress).toContainEqual({
    ports: [{ port: 'http', protocol: 'TCP' }],
    from: OF_MODELS,
  });
});

it('without models in the cluster, no pod has rights or reaches them', async () => {
  const least = await helm.render(LEAST);
  expect(least.objects.filter(({ kind, metadata }) => /^Role/.test(kind) || metadata.name.endsWith('-models'))).toEqual(
    [],
  );
  expect(JSON.stringify(least)).not.toContain('kubernetes.io/metadata.name');
});

it('another image, Knative, graphics cards and an account of your own are taken over', async () => {
  const own = { image: 'registry.example.com/cuda:1', mode: 'knative', gpuResource: 'nvidia.com/gpu' };
  const rendered = await helm.render(
    clustered({ ...own, serviceAccountName: 'hosts' }, { serviceAccount: { create: false, name: 'own' } }),
  );
  expect(rendered.objects.flatMap(faultsOf)).toEqual([]);
  expect(ofKind(rendered.objects, 'ServiceAccount')).toEqual([]);
  const [pod] = podsOf(rendered.objects).filter(({ of }) => of === HOSTING);
  expect(pod!.spec.serviceAccountName).toBe('hosts');
  expect(only(rendered.objects, 'RoleBinding', 'slipway-models')).toMatchObject({ subjects: [{ name: 'hosts' }] });
  expect(readSettings({ ...SECRETS, ...environmentOf(pod!, rendered.objects, () => undefined) })).toMatchObject({
    KUBERNETES_IMAGE: 'registry.example.com/cuda:1',
    KUBERNETES_MODE: 'knative',
    KUBERNETES_GPU_RESOURCE: 'nvidia.com/gpu',
  });
});

const REFUSED: [string, Values, RegExp][] = [
  ['no namespace', clustered({ namespace: '' }), /- models\.kubernetes\.namespace is missing\./],
  ['the namespace of the release', clustered({ namespace: 'apps' }), /namespace is that of the release, whose Secrets/],
  ['a namespace that is too long', clustered({ namespace: 'n'.repeat(29) }), /at '\/models\/kubernetes\/namespace'/],
  ['no address', clustered({}, { settings: LEAST.settings }), /- settings\.PUBLIC_URL is missing\./],
  ['no API server', clustered({ apiServer: { to: [] } }), /- models\.kubernetes\.apiServer\.to is empty/],
  [
    'no account',
    clustered({}, { serviceAccount: { create: false } }),
    /- models\.kubernetes\.serviceAccountName is missing, because/,
  ],
  [
    'the name of an account to be made',
    clustered({ serviceAccountName: 'hosts' }),
    /- models\.kubernetes\.serviceAccountName is that of an account which exists/,
  ],
  [
    'deployments without a host',
    clustered({}, { workers: { background: { queues: ['dock', 'upkeep'], settings: { MODEL_HOST: 'none' } } } }),
    /- workers\.background takes the queue dock with MODEL_HOST none/,
  ],
  [
    'the host as a setting',
    { ...LEAST, settings: { ...(LEAST.settings as object), MODEL_HOST: 'kubernetes' } },
    /- settings\.MODEL_HOST cannot be kubernetes\. Set models\.kubernetes\.enabled instead/,
  ],
  [
    'another host in a pool',
    clustered({}, { workers: { more: { queues: ['dock'], settings: { MODEL_HOST: 'local' } } } }),
    /- workers\.more\.settings\.MODEL_HOST cannot be set: it follows/,
  ],
  [
    'no host for requests',
    clustered({}, { api: { settings: { MODEL_HOST: 'none' } } }),
    /- api\.settings\.MODEL_HOST cannot be set: it follows/,
  ],
];

it.each(REFUSED)('the chart refuses %s', async (_, values, sentence) => {
  await expect(helm.render(values)).rejects.toThrow(sentence);
});

it('the chart refuses each setting of the cluster, and says which value it follows from', async () => {
  const names = [
    'KUBERNETES_NAMESPACE',
    'KUBERNETES_IMAGE',
    'KUBERNETES_MODE',
    'KUBERNETES_GPU_RESOURCE',
    'KUBECONFIG',
  ];
  const settings = { ...(LEAST.settings as object), ...Object.fromEntries(names.map((name) => [name, 'x'])) };
  const refusal = await helm.render({ ...LEAST, settings }).catch(String);
  for (const name of names)
    expect(refusal).toMatch(new RegExp(`- settings\\.${name} cannot be set: .*models\\.kubernetes`));
});

describe('in a cluster', () => {
  const of = (namespace: string, apiVersion: string, kind: string, name: string, rest: object) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...rest,
  });
  const certificate = (namespace: string) => of(namespace, 'v1', 'ConfigMap', 'kube-root-ca.crt', {});
  const data = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, 'eA==']));
  const release = [certificate('apps'), of('apps', 'v1', 'Secret', 'slipway', { data })];

  it('the chart needs the namespace of the models', async () => {
    helm.cluster.objects = release;
    await expect(helm.render(CLUSTERED)).rejects.toThrow('- The cluster has no namespace shop-models. Make it first');
    helm.cluster.objects = [...release, certificate('shop-models')];
    await expect(helm.render(CLUSTERED)).resolves.toBeDefined();
  });

  it('Helm refuses a second installation in the namespace of the models', async () => {
    const role = of('shop-models', 'rbac.authorization.k8s.io/v1', 'Role', 'slipway-models', { rules: [] });
    helm.cluster.objects = [...release, certificate('shop-models'), role];
    await expect(helm.render(CLUSTERED)).rejects.toThrow(/Role "slipway-models" in namespace "shop-models" exists/);
  });
});

/** The values for models in the cluster, with changes to these and to the others. */
function clustered(kubernetes: Values, others: Values = {}): Values {
  const { models } = CLUSTERED as { models: { kubernetes: Values } };
  return { ...CLUSTERED, models: { kubernetes: { ...models.kubernetes, ...kubernetes } }, ...others };
}
