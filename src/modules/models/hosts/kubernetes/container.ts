import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type ReplicaProcess, startReplica } from '../local/replica-process.js';
import type { ReplicaEnd } from '../model-host.js';
import { ContainerOrder } from './container-order.js';
import { writeLinked } from './linked-file.js';

/**
 * The program of a replica in a container: reads the files of its model by links, and runs it as the local host does. It
 * says in the termination log how it ended, which KServe reports.
 */
const order = ContainerOrder.parse(JSON.parse(process.argv[2] ?? ''));
let replica: ReplicaProcess | undefined;
let isReady = false;

process.on('SIGTERM', stop);
run().catch((error: unknown) => {
  ended({ code: 'REPLICA_DIED', message: `The replica could not start: ${(error as Error).message}` });
});

async function run(): Promise<void> {
  const { address = anyAddress(), port, modelsFolder, modelEntry, adapter, sequences, contextTokens, threads } = order;
  const modelPath = join(modelsFolder, 'model.gguf');
  await writeLinked(() => valueOf('modelLink'), modelEntry, modelPath, say);
  const adapterPath = adapter && join(modelsFolder, 'adapter.gguf');
  if (adapterPath !== null) await writeLinked(() => valueOf('adapterLink'), adapter!.entry, adapterPath, say);
  const token = await valueOf('token');
  say('The model is being loaded');
  replica = startReplica(
    { type: 'serve', modelPath, adapterPath, token, address, port, sequences, contextTokens, threads },
    { ready, load: () => undefined, ended },
  );
}

/** Reads a value of the Secret, which may have been renewed since the container started. */
function valueOf(name: string): Promise<string> {
  return readFile(join(order.accessFolder, name), 'utf8');
}

function ready(address: string): void {
  isReady = true;
  say(`The replica listens at ${address}`);
}

/**
 * Goes on to take calls at first, because the cluster stops sending them some seconds after it asks a pod to stop. It
 * does not move connections that callers keep, so these are closed by and by.
 */
function stop(): void {
  if (!replica || !isReady) {
    replica?.kill();
    process.exit(0);
  }
  say(`The replica takes calls for ${order.stopDelaySeconds} more seconds`);
  replica.closeConnections();
  setTimeout(() => replica?.drain(), order.stopDelaySeconds * 1000);
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

function ended({ code, message }: ReplicaEnd): void {
  if (code === 'DRAINED') process.exit(0);
  writeFileSync(order.terminationLog, JSON.stringify({ code, message }));
  process.exit(1);
}

function anyAddress(): string {
  const hasIpv6 = Object.values(networkInterfaces()).some((known) => known?.some(({ family }) => family === 'IPv6'));
  return hasIpv6 ? '::' : '0.0.0.0';
}
