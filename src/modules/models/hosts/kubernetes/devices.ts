import type { DEVICE_TYPES } from '../../deploy-model.schema.js';

/** A type of machine. */
interface Device {
  readonly processors: number;
  readonly memoryGiB: number;
  readonly gpus: number;
}

const DEVICES: Record<(typeof DEVICE_TYPES)[number], Device> = {
  'g4dn.xlarge': { processors: 4, memoryGiB: 16, gpus: 1 },
  'g5.xlarge': { processors: 4, memoryGiB: 16, gpus: 1 },
  'g5.2xlarge': { processors: 8, memoryGiB: 32, gpus: 1 },
  'g6e.xlarge': { processors: 4, memoryGiB: 32, gpus: 1 },
  'g4dn.12xlarge': { processors: 48, memoryGiB: 192, gpus: 4 },
  'g5.12xlarge': { processors: 48, memoryGiB: 192, gpus: 4 },
  'g5.48xlarge': { processors: 192, memoryGiB: 768, gpus: 8 },
  'g4dn.metal': { processors: 96, memoryGiB: 384, gpus: 8 },
};

/** The share of a machine that a replica asks for. The system and the cluster's own pods need the rest. */
const SHARE = 3 / 4;

/** The processors and the resources that a replica on a device asks for. */
export function resourcesOf(deviceType: string, gpuResource: string | undefined) {
  const { processors, memoryGiB, gpus } = DEVICES[deviceType as keyof typeof DEVICES];
  const cpus = processors * SHARE;
  const memory = `${memoryGiB * SHARE}Gi`;
  const cards = gpuResource === undefined ? {} : { [gpuResource]: String(gpus) };
  return {
    cpus,
    // Memory is limited to what is asked for, so that a model that needs more ends its own replica alone.
    resources: { requests: { cpu: String(cpus), memory, ...cards }, limits: { memory, ...cards } },
  };
}
