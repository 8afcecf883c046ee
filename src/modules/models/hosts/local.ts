import { availableParallelism, networkInterfaces } from 'node:os';
import { Settings } from '../../../platform/config/settings.js';
import type { Inspected } from '../contents/facts.js';
import { LONGEST_TEMPLATE_MS, startReplica } from './local/replica-process.js';
import { HostsModels, ModelHost, type Replica, type ReplicaListener, type ReplicaOrder } from './model-host.js';

/** Runs GGUF models on this machine's processors or graphics card, with a process for each replica. */
@HostsModels({ name: 'local' })
export class LocalHost extends ModelHost {
  /** Tests shorten it. */
  longestTemplateMs = LONGEST_TEMPLATE_MS;
  private readonly address: string;

  constructor(private readonly settings: Settings) {
    super();
    const { MODEL_HOST_ADDRESS: address } = settings;
    this.address = address === 'auto' ? ownAddress() : address;
  }

  refusalOf({ facts }: Inspected): string | undefined {
    if (facts.format === 'gguf') return undefined;
    return `The local host runs GGUF files, and this is ${facts.format}. Convert it (convert_hf_to_gguf.py of llama.cpp) and import the result.`;
  }

  start(order: ReplicaOrder, listener: ReplicaListener): Replica {
    const message = {
      type: 'serve' as const,
      ...order,
      address: this.address,
      port: 0,
      contextTokens: this.settings.MODEL_CONTEXT_TOKENS,
      threads: this.settings.MODEL_THREADS || Math.max(1, Math.floor(availableParallelism() / 2)),
    };
    return startReplica(message, listener, this.longestTemplateMs);
  }
}

/** Returns the address by which other machines or containers reach this one. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
