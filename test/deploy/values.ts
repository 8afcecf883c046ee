import { randomMasterKey, randomSecret } from '../support/settings.js';
import type { Values } from './helm.js';

/** The secrets of an installation with a bucket. */
export const SECRETS: Record<string, string> = {
  DATABASE_URL: 'postgres://slipway@postgres/slipway',
  REDIS_URL: 'redis://redis:6379',
  SLIPWAY_PEPPER: randomSecret(),
  SLIPWAY_MASTER_KEYS: `1:${randomMasterKey()}`,
  SLIPWAY_LINK_SECRETS: `1:${randomMasterKey()}`,
  METRICS_TOKEN: randomSecret(),
};

/** The least that has to be said. */
export const LEAST: Values = {
  image: { repository: 'registry.example.com/slipway' },
  secrets: { existingSecret: 'slipway' },
  settings: { STORAGE_URL: 's3://files/slipway?region=eu-central-1' },
};

/** The least for models that run in the cluster. */
export const CLUSTERED: Values = {
  ...LEAST,
  settings: { STORAGE_URL: 's3://files/slipway?region=eu-central-1', PUBLIC_URL: 'https://slipway.example.com' },
  models: {
    kubernetes: {
      enabled: true,
      namespace: 'shop-models',
      apiServer: { to: [{ ipBlock: { cidr: '10.96.0.1/32' } }], ports: [6443] },
    },
  },
};

const MONITORING = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];

/** Everything that can be switched on or filled in. */
export const EVERYTHING: Values = {
  image: { repository: 'registry.example.com/slipway', digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['registry'] },
  secrets: {
    existingSecret: 'slipway',
    refs: { DATABASE_URL: { name: 'postgres-app', key: 'uri' }, METRICS_TOKEN: { key: 'metrics' } },
  },
  settings: { LOG_LEVEL: 'warn', TRUST_PROXY: '10.0.0.0/8', DATABASE_POOL: 40, UPLOAD_MAX_GIB: 0.5 },
  pluginSettings: { ACME_GREETING: 'Hello' },
  storage: { existingClaim: 'slipway-files' },
  listenAddress: '::',
  stopDelaySeconds: 20,
  api: { settings: { REQUEST_SLOTS: 1000 }, autoscaling: { enabled: true, p95Seconds: 0.5 } },
  workerDefaults: { autoscaling: { enabled: true, oldestSeconds: 30 } },
  workers: {
    turns: { queues: ['turns:8', 'callbacks'], autoscaling: { waitingJobs: 5, maxReplicas: 40 } },
    background: null,
    dock: { queues: ['dock'], disruptionBudget: { maxUnavailable: '50%' } },
    upkeep: { queues: ['upkeep:2'], settings: { MODEL_HOST: 'none' } },
  },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'slipway.example.com',
    tlsSecret: 'slipway-tls',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '310' },
  },
  networkPolicy: {
    ingressFrom: MONITORING,
    metricsFrom: MONITORING,
    database: { to: [{ podSelector: { matchLabels: { app: 'postgres' } } }], ports: [5432, 6432] },
    redis: { to: [{ ipBlock: { cidr: '10.3.0.0/24' } }], ports: [6379, 26379] },
    extraEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.0/16' } }], ports: [{ port: 4318, protocol: 'TCP' }] }],
  },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/slipway' } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: 'important',
  podAnnotations: { 'example.com/owner': 'shop' },
  podLabels: { team: 'shop' },
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
};
