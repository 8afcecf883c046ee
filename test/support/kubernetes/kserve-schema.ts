import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { closed } from '../closed-schema.js';
import { faultsOf } from './object-schema.js';

/**
 * The schema of KServe's own CustomResourceDefinition. The file has only the members that a replica of Slipway may use, so
 * that the double refuses all others.
 */
const crd = load(readFileSync(new URL('inference-service.crd.yaml', import.meta.url), 'utf8')) as {
  spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, object> } } }[] };
};
const { metadata: _, ...members } = crd.spec.versions[0]!.schema.openAPIV3Schema.properties;
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
const isSpecified = ajv.compile(closed({ type: 'object', required: ['spec'], properties: members }));
const isStatus = ajv.compile(closed(members.status!));

interface Predictor {
  minReplicas?: number;
  maxReplicas?: number;
  scaleMetric?: string;
  terminationGracePeriodSeconds?: number;
  containers?: { name?: string; image?: string; env?: { name: string }[] }[];
}

/** Returns the faults of an InferenceService by its schema, and then by the rules of KServe's and Knative's webhooks. */
export function inferenceServiceFaults(body: unknown): string[] {
  const { metadata, ...own } = body as {
    metadata: { name: string; annotations?: Record<string, string> };
    spec: { predictor: Predictor };
  };
  const faults = [...faultsOf(metadata, 'V1ObjectMeta', 'metadata'), ...faultsIn(isSpecified, own)];
  if (faults.length > 0) return faults;
  const { spec } = own;
  const mode = metadata.annotations?.['serving.kserve.io/deploymentMode'];
  return predictorFaults(spec.predictor, mode === 'Serverless' || mode === 'Knative').concat(
    /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name) ? [] : [`the InferenceService "${metadata.name}" is invalid`],
  );
}

export function statusFaults(status: unknown): string[] {
  return faultsIn(isStatus, status);
}

interface Schema {
  properties?: Record<string, Schema>;
  enum?: string[];
}

/** Returns the values that a member of the status may have. */
export function statusEnum(...path: string[]): string[] {
  let schema = members.status as Schema;
  for (const name of path) schema = schema.properties![name]!;
  return schema.enum!;
}

function faultsIn(isValid: ValidateFunction, value: unknown): string[] {
  return isValid(value) ? [] : isValid.errors!.map(inWords);
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty: unknown } = params as { additionalProperty?: string };
  return unknown === undefined ? `${instancePath}: ${message}` : `unknown field "${instancePath}/${unknown}"`;
}

export function secretFaults(body: unknown): string[] {
  return faultsOf(body, 'V1Secret');
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
