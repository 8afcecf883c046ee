import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}

/** A release as Helm keeps it, as far as the tests read it. */
export interface Release {
  manifest: string;
  hooks?: { manifest: string; weight?: number; events: string[] }[];
  info: { notes: string };
}

const KINDS: Record<string, Record<string, string>> = {
  v1: { ConfigMap: 'configmaps', Secret: 'secrets', Service: 'services', ServiceAccount: 'serviceaccounts' },
  'apps/v1': { Deployment: 'deployments' },
  'batch/v1': { Job: 'jobs' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
  'networking.k8s.io/v1': { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' },
  'rbac.authorization.k8s.io/v1': { Role: 'roles', RoleBinding: 'rolebindings' },
  'monitoring.coreos.com/v1': { ServiceMonitor: 'servicemonitors', PrometheusRule: 'prometheusrules' },
};

/**
 * Answers Helm as the API of a cluster that has some objects and stores nothing. Helm sends the rendered release before
 * it makes any object, and learns then that it may not.
 */
export class Cluster {
  /** The objects that Helm finds. */
  objects: KubernetesObject[] = [];
  /** The release that Helm has sent last. */
  release: Release | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Cluster> {
    const server = createServer((request, response) => void cluster.answer(request, response));
    const cluster = new Cluster(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return cluster;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const { pathname } = new URL(request.url!, this.url);
    const isRelease = request.method === 'POST' && pathname.endsWith('/secrets');
    if (isRelease) this.release = releaseIn(body);
    const found = isRelease ? undefined : (discovered(pathname) ?? this.find(pathname));
    const [code, reason] = found ? [200] : isRelease ? [403, 'Forbidden'] : [404, 'NotFound'];
    const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: reason, reason, code };
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? refusal));
  }

  private find(path: string): object | undefined {
    for (const [apiVersion, kinds] of Object.entries(KINDS)) {
      for (const [kind, plural] of Object.entries(kinds)) {
        const pattern = new RegExp(`^${rootOf(apiVersion)}/namespaces/([^/]+)/${plural}(?:/([^/]+))?$`);
        const [, namespace, name] = pattern.exec(path) ?? [];
        const items = this.objects.filter((each) => each.kind === kind && each.metadata.namespace === namespace);
        if (name) return items.find(({ metadata }) => metadata.name === name);
        if (namespace) return { kind: `${kind}List`, apiVersion, metadata: {}, items };
      }
    }
    return undefined;
  }
}

const rootOf = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

/** Says which kinds there are, and that the cluster itself refuses unknown fields, so that Helm leaves that to it. */
function discovered(path: string): object | undefined {
  const versions = Object.keys(KINDS);
  const groups = versions.filter((version) => version.includes('/'));
  const documents = Object.fromEntries(versions.map((version) => [`/openapi/v3${rootOf(version)}`, version]));
  const ofRoot = versions.find((version) => rootOf(version) === path);
  if (ofRoot) return { kind: 'APIResourceList', groupVersion: ofRoot, resources: resourcesOf(ofRoot) };
  if (documents[path]) return openApiOf(documents[path]);
  switch (path) {
    case '/version':
      return { major: '1', minor: '34', gitVersion: 'v1.34.0' };
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'] };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
    case '/openapi/v3':
      return { paths: Object.fromEntries(versions.map((each) => [rootOf(each).slice(1), documentOf(each)])) };
  }
  return undefined;
}

const documentOf = (apiVersion: string) => ({ serverRelativeURL: `/openapi/v3${rootOf(apiVersion)}` });

function groupOf(groupVersion: string) {
  const [name, version] = groupVersion.split('/');
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
}

function resourcesOf(apiVersion: string) {
  return Object.entries(KINDS[apiVersion]!).map(([kind, name]) => ({
    name,
    kind,
    singularName: kind.toLowerCase(),
    namespaced: true,
    verbs: ['create', 'get', 'list'],
  }));
}

function openApiOf(apiVersion: string) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const paths = Object.entries(KINDS[apiVersion]!).map(([kind, plural]) => [
    `${rootOf(apiVersion)}/namespaces/{namespace}/${plural}/{name}`,
    {
      patch: {
        'x-kubernetes-group-version-kind': { group, version, kind },
        parameters: [{ name: 'fieldValidation', in: 'query' }],
        responses: {},
      },
    },
  ]);
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: '1' }, paths: Object.fromEntries(paths) as object };
}

/** Helm packs a release, and sends it as JSON or within the protobuf of a Secret. */
function releaseIn(body: Buffer): Release {
  const [packed] = /H4sI[\w+/=]+/.exec(body.toString('latin1')) ?? [];
  if (packed) return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as Release;
  const { data } = JSON.parse(body.toString()) as { data: { release: string } };
  return releaseIn(Buffer.from(data.release, 'base64'));
}
