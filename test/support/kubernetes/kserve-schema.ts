import { faultsOf, membersOf, type OwnTypes } from './object-schema.js';

const member = (baseName: string, type: string) => ({ baseName, type });
const members = (types: Record<string, string>) => Object.entries(types).map(([name, type]) => member(name, type));
const TEXTS = '{ [key: string]: string; }';

/** Members of pods that predictors do not have. */
const NOT_OF_PREDICTORS = ['ephemeralContainers', 'schedulingGroup'];

/**
 * The members of KServe's `serving.kserve.io/v1beta1` InferenceService that a predictor with containers of its own can
 * have, and those of its status. Members for other predictors, transformers and explainers are left out, so that the
 * double refuses them. The member types are written down here from KServe's reference of the API.
 */
const TYPES: OwnTypes = {
  InferenceService: members({
    apiVersion: "'serving.kserve.io/v1beta1'",
    kind: "'InferenceService'",
    metadata: 'V1ObjectMeta',
    spec: 'InferenceServiceSpec',
    status: 'InferenceServiceStatus',
  }),
  InferenceServiceSpec: members({ predictor: 'Predictor' }),
  Predictor: [
    ...membersOf('V1PodSpec')!.filter(({ baseName }) => !NOT_OF_PREDICTORS.includes(baseName)),
    ...members({
      minReplicas: 'number',
      maxReplicas: 'number',
      scaleTarget: 'number',
      scaleMetric: "'cpu' | 'memory' | 'concurrency' | 'rps'",
      scaleMetricType: "'Utilization' | 'AverageValue' | 'Value'",
      containerConcurrency: 'number',
      timeout: 'number',
      canaryTrafficPercent: 'number',
      labels: TEXTS,
      annotations: TEXTS,
      deploymentStrategy: 'V1DeploymentStrategy',
    }),
  ],
  InferenceServiceStatus: members({
    observedGeneration: 'number',
    annotations: TEXTS,
    conditions: 'Array<Condition>',
    address: 'Address',
    url: 'string',
    components: '{ [key: string]: Component; }',
    modelStatus: 'ModelStatus',
    deploymentMode: "'Standard' | 'Knative' | 'ModelMesh'",
  }),
  Condition: members({
    type: 'string',
    status: "'True' | 'False' | 'Unknown'",
    severity: 'string',
    reason: 'string',
    message: 'string',
    lastTransitionTime: 'Date',
  }),
  Address: members({ name: 'string', url: 'string', CACerts: 'string', audience: 'string' }),
  Component: members({
    latestReadyRevision: 'string',
    latestCreatedRevision: 'string',
    previousRolledoutRevision: 'string',
    latestRolledoutRevision: 'string',
    url: 'string',
    restUrl: 'string',
    grpcUrl: 'string',
    address: 'Address',
  }),
  ModelStatus: members({
    transitionStatus: "'' | 'UpToDate' | 'InProgress' | 'BlockedByFailedLoad' | 'InvalidSpec'",
    states: 'ModelStates',
    lastFailureInfo: 'FailureInfo',
    copies: 'ModelCopies',
  }),
  ModelStates: members({ activeModelState: 'ModelState', targetModelState: 'ModelState' }),
  FailureInfo: members({
    location: 'string',
    reason:
      "'ModelLoadFailed' | 'RuntimeUnhealthy' | 'RuntimeDisabled' | 'NoSupportingRuntime' | 'RuntimeNotRecognized' | 'InvalidPredictorSpec'",
    message: 'string',
    modelRevisionName: 'string',
    time: 'Date',
    exitCode: 'number',
  }),
  ModelCopies: members({ failedCopies: 'number', totalCopies: 'number' }),
};

/** A type with one name for a set of values. */
const NAMED = { ModelState: "'' | 'Pending' | 'Standby' | 'Loading' | 'Loaded' | 'FailedToLoad'" };

const OWN: OwnTypes = {
  ...Object.fromEntries(
    Object.entries(TYPES).map(([type, list]) => [
      type,
      list.map((each) => (each.type === 'ModelState' ? { ...each, type: NAMED.ModelState } : each)),
    ]),
  ),
  V1ResourceRequirements: members({
    limits: '{ [key: string]: Quantity; }',
    requests: '{ [key: string]: Quantity; }',
  }),
};

interface Predictor {
  minReplicas?: number;
  maxReplicas?: number;
  scaleMetric?: string;
  terminationGracePeriodSeconds?: number;
  containers?: { name?: string; image?: string; env?: { name: string }[] }[];
}

/** Returns the faults of an InferenceService by its schema, and then by the rules of KServe's and Knative's webhooks. */
export function inferenceServiceFaults(body: unknown): string[] {
  const faults = faultsOf(body, 'InferenceService', OWN);
  if (faults.length > 0) return faults;
  const { metadata, spec } = body as {
    metadata: { name: string; annotations?: Record<string, string> };
    spec?: { predictor?: Predictor };
  };
  if (!spec?.predictor) return ['spec.predictor: Required value'];
  const mode = metadata.annotations?.['serving.kserve.io/deploymentMode'];
  return predictorFaults(spec.predictor, mode === 'Serverless' || mode === 'Knative').concat(
    /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name) ? [] : [`the InferenceService "${metadata.name}" is invalid`],
  );
}

export function statusFaults(status: unknown): string[] {
  return faultsOf(status, 'InferenceServiceStatus', OWN, 'status');
}

export function secretFaults(body: unknown): string[] {
  return faultsOf(body, 'V1Secret', {});
}

function predictorFaults(predictor: Predictor, isKnative: boolean): string[] {
  const { minReplicas = 1, maxReplicas = 0, scaleMetric, containers = [] } = predictor;
  const metrics = isKnative ? ['concurrency', 'rps'] : ['cpu', 'memory'];
  const rules: [boolean, string][] = [
    [minReplicas < 0 || maxReplicas < 0, 'MinReplicas and MaxReplicas cannot be less than 0.'],
    [minReplicas > maxReplicas && maxReplicas !== 0, 'MinReplicas cannot be greater than MaxReplicas.'],
    [scaleMetric !== undefined && !metrics.includes(scaleMetric), `[${scaleMetric}] is not a supported metric`],
    [containers.length !== 1, 'a predictor needs exactly one implementation'],
    [containers.some(({ name, image }) => !name || !image), 'spec.predictor.containers: Required value'],
    [
      isKnative && containers.some(({ env = [] }) => env.some(({ name }) => name === 'PORT')),
      'must not set the following env var(s): PORT',
    ],
    [
      isKnative && predictor.terminationGracePeriodSeconds !== undefined,
      'must not set the field(s): spec.template.spec.terminationGracePeriodSeconds',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, message]) => message);
}
