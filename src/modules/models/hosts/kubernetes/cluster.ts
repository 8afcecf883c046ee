import { accessSync } from 'node:fs';
import type * as Kubernetes from '@kubernetes/client-node';
import { FleetFault } from '../fleet-host.js';
import { answerTo, type ApiAnswer, faultOf, isUnauthorized } from './cluster-faults.js';
import { type InferenceService, KSERVE, type Metadata, type Secret } from './kserve.js';
import { MANAGED } from './inference-service.js';

type Client = typeof Kubernetes;
type Options = Kubernetes.ConfigurationOptions;

const LONGEST_CALL_MS = 5_000;
/** Kubernetes mounts the token of a service account here. The client would read it with its first call only. */
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const OURS = Object.entries(MANAGED)
  .map(([label, value]) => `${label}=${value}`)
  .join(',');

/** The calls of one kind of object in a namespace. */
interface Calls<T> {
  get(name: string, options: Options): Promise<T>;
  list(labelSelector: string, options: Options): Promise<{ items: T[] }>;
  create(body: T, options: Options): Promise<T>;
  replace(name: string, body: T, options: Options): Promise<T>;
  delete(name: string, options: Options): Promise<unknown>;
}

interface Connection {
  readonly client: Client;
  readonly services: Calls<InferenceService>;
  readonly secrets: Calls<Secret>;
}

/** The InferenceServices and Secrets in a namespace of a cluster. The client is loaded with the first call. */
export class Cluster {
  /** Whether this process runs in the cluster. */
  readonly hasThisProcess: boolean;
  readonly services: Collection<InferenceService>;
  readonly secrets: Collection<Secret>;
  private connection: Promise<Connection> | undefined;

  constructor(
    private readonly namespace: string,
    private readonly configFile: string | undefined,
  ) {
    this.hasThisProcess = configFile === undefined;
    // The next call then reads the credentials again, which may have been replaced.
    const forget = () => (this.connection = undefined);
    this.services = new Collection(
      'InferenceServices',
      namespace,
      async () => pick(await this.connect(), 'services'),
      forget,
    );
    this.secrets = new Collection('Secrets', namespace, async () => pick(await this.connect(), 'secrets'), forget);
  }

  private connect(): Promise<Connection> {
    this.connection ??= this.open().catch((error: unknown) => {
      this.connection = undefined;
      throw error;
    });
    return this.connection;
  }

  private async open(): Promise<Connection> {
    const client = await import('@kubernetes/client-node').catch((cause: unknown) => {
      const message = 'The package @kubernetes/client-node is not installed. docs/models.md says how to install it.';
      throw new FleetFault(message, true, { cause });
    });
    const config = this.configOf(client);
    const at = { ...KSERVE, namespace: this.namespace };
    const custom = config.makeApiClient(client.CustomObjectsApi);
    const core = config.makeApiClient(client.CoreV1Api);
    return { client, services: serviceCalls(custom, at), secrets: secretCalls(core, this.namespace) };
  }

  private configOf(client: Client): Kubernetes.KubeConfig {
    const config = new client.KubeConfig();
    try {
      if (this.configFile === undefined) this.loadServiceAccount(config);
      else config.loadFromFile(this.configFile);
      return config;
    } catch (cause) {
      const source =
        this.configFile === undefined
          ? 'KUBECONFIG is not set, and the service account of this pod'
          : 'The file in KUBECONFIG';
      throw new FleetFault(`${source} cannot be read.`, true, { cause });
    }
  }

  private loadServiceAccount(config: Kubernetes.KubeConfig): void {
    accessSync(SERVICE_ACCOUNT_TOKEN);
    config.loadFromCluster();
  }
}

function pick<K extends 'services' | 'secrets'>({ client, ...calls }: Connection, key: K) {
  return { client, calls: calls[key] };
}

/** The objects of one kind in a namespace. All methods throw a FleetFault if the cluster refuses or does not answer. */
class Collection<T extends { metadata: Metadata }> {
  constructor(
    private readonly kind: string,
    private readonly namespace: string,
    private readonly connect: () => Promise<{ client: Client; calls: Calls<T> }>,
    private readonly forgetConnection: () => void,
  ) {}

  async get(name: string, signal: AbortSignal): Promise<T | undefined> {
    const answer = await this.call('get', signal, (calls, options) => calls.get(name, options));
    return 'value' in answer ? answer.value : undefined;
  }

  /** Returns the objects that Slipway made. */
  async list(signal: AbortSignal): Promise<T[]> {
    const answer = await this.call('list', signal, (calls, options) => calls.list(OURS, options));
    return 'value' in answer ? answer.value.items : [];
  }

  /** Returns the object that is there, which another process may have made at the same time. */
  async create(body: T, signal: AbortSignal): Promise<T> {
    const answer = await this.call('create', signal, (calls, options) => calls.create(body, options));
    if ('value' in answer) return answer.value;
    const present = answer.missing === 'conflict' ? await this.get(body.metadata.name, signal) : undefined;
    if (!present) throw new FleetFault(`The ${this.kind} of the cluster changed at the same time.`, false);
    return present;
  }

  async replace(body: T, signal: AbortSignal): Promise<T> {
    const { name } = body.metadata;
    const answer = await this.call('update', signal, (calls, options) => calls.replace(name, body, options));
    if ('value' in answer) return answer.value;
    throw new FleetFault(`The ${this.kind} of the cluster changed at the same time.`, false);
  }

  async delete(name: string, signal: AbortSignal): Promise<void> {
    await this.call('delete', signal, (calls, options) => calls.delete(name, options));
  }

  private async call<R>(
    verb: string,
    signal: AbortSignal,
    send: (calls: Calls<T>, options: Options) => Promise<R>,
  ): Promise<ApiAnswer<R>> {
    const { client, calls } = await this.connect();
    const within = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_CALL_MS)]);
    try {
      return await answerTo(send(calls, optionsFor(client, within)));
    } catch (error) {
      signal.throwIfAborted();
      if (isUnauthorized(error)) this.forgetConnection();
      throw faultOf(error, { verb, kind: this.kind, namespace: this.namespace });
    }
  }
}

function optionsFor({ setHeaderMiddleware }: Client, signal: AbortSignal): Options {
  const accept = setHeaderMiddleware('accept', 'application/json');
  const middleware: Kubernetes.ObservableMiddleware = {
    pre: (request) => {
      request.setSignal(signal);
      return accept.pre(request);
    },
    post: (response) => accept.post(response),
  };
  return { middleware: [middleware], middlewareMergeStrategy: 'append' };
}

function serviceCalls(
  api: Kubernetes.CustomObjectsApi,
  at: typeof KSERVE & { namespace: string },
): Calls<InferenceService> {
  const fieldValidation = 'Strict';
  return {
    get: (name, options) => api.getNamespacedCustomObject({ ...at, name }, options) as Promise<InferenceService>,
    list: (labelSelector, options) =>
      api.listNamespacedCustomObject({ ...at, labelSelector }, options) as Promise<{ items: InferenceService[] }>,
    create: (body, options) =>
      api.createNamespacedCustomObject({ ...at, body, fieldValidation }, options) as Promise<InferenceService>,
    replace: (name, body, options) =>
      api.replaceNamespacedCustomObject({ ...at, name, body, fieldValidation }, options) as Promise<InferenceService>,
    delete: (name, options) => api.deleteNamespacedCustomObject({ ...at, name }, options),
  };
}

function secretCalls(api: Kubernetes.CoreV1Api, namespace: string): Calls<Secret> {
  const fieldValidation = 'Strict';
  return {
    get: (name, options) => api.readNamespacedSecret({ namespace, name }, options) as Promise<Secret>,
    list: (labelSelector, options) =>
      api.listNamespacedSecret({ namespace, labelSelector }, options) as Promise<{ items: Secret[] }>,
    create: (body, options) =>
      api.createNamespacedSecret(
        { namespace, body: body as Kubernetes.V1Secret, fieldValidation },
        options,
      ) as Promise<Secret>,
    replace: (name, body, options) =>
      api.replaceNamespacedSecret(
        { namespace, name, body: body as Kubernetes.V1Secret, fieldValidation },
        options,
      ) as Promise<Secret>,
    delete: (name, options) => api.deleteNamespacedSecret({ namespace, name }, options),
  };
}
