import { mkdtempSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Certificate, makeCertificate } from '../certificate.js';
import { inferenceServiceFaults, secretFaults, statusFaults } from './kserve-schema.js';

export interface KubernetesObject {
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [member: string]: unknown;
}

type Kind = 'inferenceservices' | 'secrets';

/** The answer to requests of this verb, kind and name, instead of the normal one. */
export interface Refusal {
  verb?: string;
  kind?: Kind;
  name?: string;
  status: number;
  reason?: string;
  message: string;
  /** The number of requests that are refused; without it, all are. */
  times?: number;
}

const HOST = '127.0.0.1';
const NAMESPACE = 'models';
const SETTINGS = {
  MODEL_HOST: 'kubernetes',
  KUBERNETES_NAMESPACE: NAMESPACE,
  KUBERNETES_IMAGE: 'registry.example/slipway:test',
  PUBLIC_URL: 'http://slipway.example',
};
const PATHS: [Kind, RegExp][] = [
  ['inferenceservices', /^\/apis\/serving\.kserve\.io\/v1beta1\/namespaces\/([^/]+)\/inferenceservices(?:\/([^/]+))?$/],
  ['secrets', /^\/api\/v1\/namespaces\/([^/]+)\/secrets(?:\/([^/]+))?$/],
];
const QUERIES = ['fieldValidation', 'labelSelector'];

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly kind?: string,
  ) {
    super(message);
  }
}

/**
 * The API server of a cluster with KServe, as far as Slipway asks it. It keeps InferenceServices and Secrets of one
 * namespace and checks each body strictly. There is no controller: a test reports the states.
 */
export class KubernetesApi {
  readonly requests: string[] = [];
  /** Whether KServe's definitions are installed. */
  hasKServe = true;
  /** The namespaces that exist. */
  namespaces = [NAMESPACE];
  refusal: Refusal | undefined;
  /** Whether the server accepts a request and never answers it. */
  hangs = false;
  private token = 'a token of a service account';
  /** Holds `config.json` and `token`. */
  private readonly folder = mkdtempSync(join(tmpdir(), 'slipway-cluster-'));
  private version = 0;
  private readonly objects: Record<Kind, Map<string, KubernetesObject>> = {
    inferenceservices: new Map(),
    secrets: new Map(),
  };
  private readonly server: Server;

  private constructor(certificateIn?: (folder: string) => Certificate) {
    const listener: RequestListener = (request, response) => void this.handle(request, response);
    this.server = certificateIn ? tlsServer(certificateIn(this.folder), listener) : createServer(listener);
  }

  /** Starts a server. `settings` are those of a service outside of the cluster that serves its models there. */
  static async start(): Promise<KubernetesApi & { settings: Record<string, string> }> {
    const api = await new KubernetesApi().listening();
    return Object.assign(api, { settings: { ...SETTINGS, KUBECONFIG: join(api.folder, 'config.json') } });
  }

  /**
   * Starts a server that only takes HTTPS. `settings` are those of a process in a pod of the cluster, in which
   * `serviceAccount` is the folder that the node mounts.
   */
  static async startForPod(): Promise<KubernetesApi & { settings: Record<string, string>; serviceAccount: string }> {
    const api = await new KubernetesApi((folder) => makeCertificate(folder, { ip: HOST })).listening();
    await rename(join(api.folder, 'slipway.crt'), join(api.folder, 'ca.crt'));
    const address = { KUBERNETES_SERVICE_HOST: HOST, KUBERNETES_SERVICE_PORT: String(api.port) };
    return Object.assign(api, { settings: { ...SETTINGS, ...address }, serviceAccount: api.folder });
  }

  /** Replaces the token that the server knows, and the files with the credentials. */
  async changeToken(token: string): Promise<void> {
    this.token = token;
    await writeFile(join(this.folder, 'config.json'), JSON.stringify(configOf(`http://${HOST}:${this.port}`, token)));
    // A node replaces the file as a whole, too.
    await writeFile(join(this.folder, 'token.new'), token);
    await rename(join(this.folder, 'token.new'), join(this.folder, 'token'));
  }

  private async listening(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, HOST, resolve));
    await this.changeToken(this.token);
    return this;
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get services(): KubernetesObject[] {
    return [...this.objects.inferenceservices.values()];
  }

  get secrets(): KubernetesObject[] {
    return [...this.objects.secrets.values()];
  }

  /** Does what KServe's controller does: writes a status, which is checked as well. */
  report({ metadata: { name } }: KubernetesObject, status: object): void {
    const faults = statusFaults(status);
    if (faults.length > 0) throw new Error(faults.join('; '));
    const present = this.objects.inferenceservices.get(name)!;
    this.put('inferenceservices', { ...present, status });
  }

  /** Removes an object behind Slipway's back. */
  drop(kind: Kind, name: string): void {
    this.objects[kind].delete(name);
  }

  /** Puts an object there that Slipway did not make. */
  put(kind: Kind, object: KubernetesObject): KubernetesObject {
    this.version += 1;
    const { metadata } = object;
    const stored = {
      ...object,
      metadata: { uid: `uid-${this.version}`, ...metadata, namespace: NAMESPACE, resourceVersion: `${this.version}` },
    };
    this.objects[kind].set(metadata.name, stored);
    return stored;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url!, 'http://localhost');
      const body = await text(request);
      this.requests.push(`${request.method} ${url.pathname}`);
      if (this.hangs) return;
      send(response, 200, this.answer(request, url, body === '' ? undefined : (JSON.parse(body) as KubernetesObject)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, reason, message, kind } = error;
      if (reason === 'unknown path') return void response.writeHead(404, { 'content-type': 'text/plain' }).end(message);
      const details = kind === undefined ? {} : { details: { kind } };
      send(response, status, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        message,
        reason,
        code: status,
        ...details,
      });
    }
  }

  private answer({ method, headers }: IncomingMessage, url: URL, body: KubernetesObject | undefined): object {
    if (headers.authorization !== `Bearer ${this.token}`) throw new Refused(401, 'Unauthorized', 'Unauthorized');
    const unknown = [...url.searchParams.keys()].find((name) => !QUERIES.includes(name));
    if (unknown !== undefined) throw new Error(`The double does not know the query ${unknown}`);
    const [kind, path] = PATHS.find(([, pattern]) => pattern.test(url.pathname)) ?? [];
    if (!kind || (kind === 'inferenceservices' && !this.hasKServe))
      throw new Refused(404, 'unknown path', '404 page not found\n');
    const [, namespace, name] = path!.exec(url.pathname)!;
    this.refuse(method!, kind, name);
    if (method === 'POST') return this.create(kind, namespace!, body!, url);
    if (method === 'GET' && name === undefined) return this.list(kind, url.searchParams.get('labelSelector'));
    const present = this.objects[kind].get(name!);
    if (!present) throw new Refused(404, 'NotFound', `${kind} "${name}" not found`, kind);
    if (method === 'GET') return present;
    if (method === 'PUT') return this.replace(kind, present, body!, url);
    if (method === 'DELETE') return this.delete(kind, present);
    throw new Refused(405, 'MethodNotAllowed', `the server does not allow ${method}`);
  }

  private refuse(method: string, kind: Kind, name: string | undefined): void {
    const { refusal } = this;
    if (!refusal || (refusal.verb ?? method) !== method || (refusal.kind ?? kind) !== kind) return;
    if (refusal.name !== undefined && refusal.name !== name) return;
    if (refusal.times !== undefined && --refusal.times === 0) this.refusal = undefined;
    throw new Refused(refusal.status, refusal.reason ?? '', refusal.message, kind);
  }

  private create(kind: Kind, namespace: string, body: KubernetesObject, url: URL): KubernetesObject {
    if (!this.namespaces.includes(namespace))
      throw new Refused(404, 'NotFound', `namespaces "${namespace}" not found`, 'namespaces');
    this.check(kind, body, url);
    const { name } = body.metadata;
    if (this.objects[kind].has(name)) throw new Refused(409, 'AlreadyExists', `${kind} "${name}" already exists`, kind);
    return this.put(kind, { ...body, metadata: { ...body.metadata, generation: 1 } });
  }

  private replace(kind: Kind, present: KubernetesObject, body: KubernetesObject, url: URL): KubernetesObject {
    this.check(kind, body, url);
    const { resourceVersion, generation = 1, uid } = present.metadata;
    if (body.metadata.resourceVersion !== resourceVersion)
      throw new Refused(409, 'Conflict', `the object has been modified: ${kind} "${body.metadata.name}"`, kind);
    const isSame = JSON.stringify(body.spec) === JSON.stringify(present.spec);
    const metadata = { ...body.metadata, uid: uid!, generation: isSame ? generation : generation + 1 };
    // The status is a resource of its own, which this request does not change.
    return this.put(kind, { ...body, ...('status' in present && { status: present.status }), metadata });
  }

  private delete(kind: Kind, present: KubernetesObject): object {
    this.objects[kind].delete(present.metadata.name);
    return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
  }

  private list(kind: Kind, selector: string | null): object {
    const [label, value] = (selector ?? '').split('=');
    const items = [...this.objects[kind].values()].filter(
      ({ metadata }) => selector === null || metadata.labels?.[label!] === value,
    );
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: `${this.version}` }, items };
  }

  private check(kind: Kind, body: KubernetesObject, url: URL): void {
    if (url.searchParams.get('fieldValidation') !== 'Strict')
      throw new Refused(400, 'BadRequest', 'The double wants strict validation', kind);
    const faults = kind === 'secrets' ? secretFaults(body) : inferenceServiceFaults(body);
    if (faults.length > 0) throw new Refused(422, 'Invalid', faults.join('; '), kind);
  }
}

function tlsServer({ text, keyFile }: Certificate, listener: RequestListener): Server {
  return createTlsServer({ cert: text, key: readFileSync(keyFile) }, listener);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Without TLS, the client has to be told not to expect it. */
function configOf(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'double', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'slipway', user: { token } }],
    contexts: [{ name: 'double', context: { cluster: 'double', user: 'slipway' } }],
    'current-context': 'double',
  };
}
