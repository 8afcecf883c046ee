import { createHash } from 'node:crypto';
import type { V1Container } from '@kubernetes/client-node';
import type { Id } from '../../../../kernel/ids.js';
import type { Settings } from '../../../../platform/config/settings.js';
import type { FleetOrder } from '../fleet-host.js';
import type { ContainerOrder } from './container-order.js';
import { resourcesOf } from './devices.js';
import type { InferenceService } from './kserve.js';

export const MANAGED = { 'app.kubernetes.io/managed-by': 'slipway' };
export const DEPLOYMENT_LABEL = 'slipway/deployment';
/** The digest of the spec that Slipway asked for. By it, members that are no longer wanted are told from KServe's defaults. */
const SPEC_ANNOTATION = 'slipway/spec';
const TOKEN_ANNOTATION = 'slipway/token';

const PROGRAM = 'dist/src/modules/models/hosts/kubernetes/container.js';
const MODELS_FOLDER = '/models';
/** The folder with the values of the Secret. They are no environment variables, which child processes could inherit. */
const ACCESS_FOLDER = '/access';
const PORT = 8080;
/** KServe's name for the container of a predictor. It reports how this one ends. */
const CONTAINER = 'kserve-container';
/** The same as the time that a start may take. */
const PROGRESS_DEADLINE = '1800s';

/** KServe adds `-predictor` and Knative the namespace, and the whole may have 63 characters. */
export function nameOf(deploymentId: Id<'modelDeployment'>): string {
  return `slipway-${digestOf(deploymentId)}`;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function labelsOf(deploymentId: Id<'modelDeployment'>): Record<string, string> {
  return { ...MANAGED, [DEPLOYMENT_LABEL]: deploymentId };
}

/** Returns the InferenceService that serves a deployment: Slipway's own replica as the container of a predictor. */
export function inferenceServiceOf(order: FleetOrder, token: string, settings: Settings): InferenceService {
  const { deploymentId } = order;
  const isKnative = settings.KUBERNETES_MODE === 'knative';
  // Older versions of KServe know only these names of the modes, and newer ones know them too.
  const mode = { 'serving.kserve.io/deploymentMode': isKnative ? 'Serverless' : 'RawDeployment' };
  const spec = { predictor: predictorOf(order, token, settings, isKnative) };
  return {
    apiVersion: 'serving.kserve.io/v1beta1',
    kind: 'InferenceService',
    metadata: {
      name: nameOf(deploymentId),
      labels: labelsOf(deploymentId),
      annotations: { ...mode, [SPEC_ANNOTATION]: digestOf(JSON.stringify([mode, spec])) },
    },
    spec,
  };
}

function predictorOf(order: FleetOrder, token: string, settings: Settings, isKnative: boolean) {
  const { minReplicas, maxReplicas, maxBatchSize } = order.scaling;
  const { MODEL_TIMEOUT_SECONDS: timeout, STOP_DELAY_SECONDS: delay } = settings;
  return {
    minReplicas,
    maxReplicas,
    timeout,
    labels: labelsOf(order.deploymentId),
    annotations: {
      // A replica reads its token once, so another token has to start it again.
      [TOKEN_ANNOTATION]: digestOf(token),
      ...(isKnative && { 'serving.knative.dev/progress-deadline': PROGRESS_DEADLINE }),
    },
    // Knative has its own time for the last calls, and refuses a pod's.
    ...(isKnative
      ? { scaleMetric: 'concurrency', scaleTarget: maxBatchSize }
      : { terminationGracePeriodSeconds: delay + timeout }),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [containerOf(order, settings)],
    volumes: [
      { name: 'models', emptyDir: {} },
      { name: 'access', secret: { secretName: nameOf(order.deploymentId) } },
    ],
  };
}

function containerOf(order: FleetOrder, settings: Settings): V1Container {
  const { cpus, resources } = resourcesOf(order.deviceType, settings.KUBERNETES_GPU_RESOURCE);
  const run: ContainerOrder = {
    port: PORT,
    modelsFolder: MODELS_FOLDER,
    accessFolder: ACCESS_FOLDER,
    terminationLog: '/dev/termination-log',
    stopDelaySeconds: settings.STOP_DELAY_SECONDS,
    modelEntry: order.model.entry,
    adapter: order.adapter && { entry: order.adapter.entry },
    sequences: order.scaling.maxBatchSize,
    contextTokens: settings.MODEL_CONTEXT_TOKENS,
    threads: settings.MODEL_THREADS || cpus,
  };
  return {
    name: CONTAINER,
    // MODEL_HOST needs it, which the settings say.
    image: settings.KUBERNETES_IMAGE!,
    command: ['node', PROGRAM, argumentOf(run)],
    ports: [{ containerPort: PORT, protocol: 'TCP' }],
    resources,
    // It listens when the model is in memory.
    readinessProbe: { tcpSocket: { port: PORT } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 1000,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      { name: 'models', mountPath: MODELS_FOLDER },
      { name: 'access', mountPath: ACCESS_FOLDER, readOnly: true },
    ],
  };
}

/** The kubelet would replace `$$` and `$(NAME)`, which may be in the name of a file that a user has chosen. */
function argumentOf(run: ContainerOrder): string {
  return JSON.stringify(run).replaceAll('$', '\\u0024');
}
