import type { KubernetesObject } from './cluster.js';

/** The address of every pod, in a cluster with IPv6 alone. */
const POD_IP = 'fd00:10:244::7';

export interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
}

interface Container {
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  envFrom?: { configMapRef: { name: string } }[];
  env: { name: string; value?: string; valueFrom?: Source }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  securityContext: object;
  volumeMounts: { mountPath: string }[];
}

/** A key of a Secret, or a field of the pod itself. */
interface Source {
  secretKeyRef?: SecretKey;
  fieldRef?: { fieldPath: string };
}

export interface SecretKey {
  name: string;
  key: string;
  optional?: boolean;
}

export interface Pod {
  /** The name of its Deployment or Job. */
  of: string;
  labels: Record<string, string>;
  spec: {
    serviceAccountName?: string;
    automountServiceAccountToken: boolean;
    enableServiceLinks: boolean;
    terminationGracePeriodSeconds: number;
    securityContext: object;
  };
  container: Container;
}

/** Returns what each Deployment or Job makes. */
export function podsOf(objects: KubernetesObject[]): Pod[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => {
      const { template } = spec as {
        template: { metadata: { labels: Pod['labels'] }; spec: Pod['spec'] & { containers: [Container] } };
      };
      const [container] = template.spec.containers;
      return { of: metadata.name, labels: template.metadata.labels, spec: template.spec, container };
    });
}

/** Returns the variables of a pod. Those of secrets have the value that `secretOf` returns, or none. */
export function environmentOf(
  { container }: Pod,
  objects: KubernetesObject[],
  secretOf: (name: string, key: SecretKey) => string | undefined,
): Record<string, string> {
  const maps = (container.envFrom ?? []).map(({ configMapRef }) => only(objects, 'ConfigMap', configMapRef.name));
  const plain = Object.assign({}, ...maps.map(({ data }) => data as object)) as Record<string, string>;
  for (const { name, value, valueFrom } of container.env) {
    // The kubelet replaces `$$` here, and not in the values of a ConfigMap.
    const plainly = value?.replaceAll('$$', '$') ?? fieldOf(valueFrom);
    const text = valueFrom?.secretKeyRef ? secretOf(name, valueFrom.secretKeyRef) : plainly;
    if (text !== undefined) plain[name] = text;
  }
  return plain;
}

/** Returns where each secret variable of a pod comes from. */
export function secretsOf({ container }: Pod): Record<string, SecretKey> {
  return Object.fromEntries(
    container.env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : [])),
  );
}

function fieldOf(source: Source | undefined): string | undefined {
  return source?.fieldRef?.fieldPath === 'status.podIP' ? POD_IP : undefined;
}

/** Returns the object, with its fields as the test expects them. */
export function only<Fields = unknown>(objects: KubernetesObject[], kind: string, name: string) {
  const found = ofKind<Fields>(objects, kind).filter(({ metadata }) => metadata.name === name);
  if (found.length !== 1) throw new Error(`There are ${found.length} objects ${kind} ${name}.`);
  return found[0]!;
}

export function ofKind<Fields = unknown>(objects: KubernetesObject[], kind: string): (KubernetesObject & Fields)[] {
  return objects.filter((each) => each.kind === kind) as (KubernetesObject & Fields)[];
}

/** How an object selects others by their labels. */
export interface Selector {
  matchLabels: Record<string, string>;
}

/** Returns whether a selector of labels selects an object or a pod. */
export function selects(selector: Record<string, string>, labels: Record<string, string> = {}): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}
