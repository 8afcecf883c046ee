import { z } from 'zod';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The settings of the cluster that serves deployed models with `MODEL_HOST=kubernetes`. */
export const kubernetesSettings = {
  KUBERNETES_NAMESPACE: z
    .string()
    .max(28)
    .regex(LABEL, 'must have lower-case letters, digits and dashes')
    .optional()
    .describe(
      'Namespace of the cluster in which `MODEL_HOST=kubernetes` serves models. It belongs to this installation alone: services of Slipway that it does not know are removed there.',
    ),
  KUBERNETES_IMAGE: z
    .string()
    .min(1)
    .optional()
    .describe('Container image of Slipway, from which the cluster runs the replicas of models.'),
  KUBERNETES_MODE: z
    .enum(['standard', 'knative'])
    .default('standard')
    .describe(
      'How KServe runs the replicas: `standard`, as a Deployment that grows with the load of its processors, or `knative`, by the number of calls.',
    ),
  KUBERNETES_GPU_RESOURCE: z
    .string()
    .regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/, 'must be the name of a resource, with the domain of its vendor')
    .optional()
    .describe(
      'Resource by which replicas ask for the graphics cards of their device type, such as `nvidia.com/gpu`. Without it they ask for processors and memory alone.',
    ),
  KUBECONFIG: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the address and the credentials of the cluster. Without it, the service account of the pod in which Slipway runs is used.',
    ),
};
