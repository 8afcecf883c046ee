import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism, networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Settings } from '../../../platform/config/settings.js';
import type { Inspected } from '../contents/facts.js';
import type { FromReplica, ServeMessage, ToReplica } from './local/replica-messages.js';
import {
  HostsModels,
  ModelHost,
  type Replica,
  type ReplicaEnd,
  type ReplicaListener,
  type ReplicaOrder,
} from './model-host.js';

/** The path of the built program, even in tests that run the sources, because a child process needs JavaScript. */
const PROGRAM = fileURLToPath(
  new URL('local/replica.js', import.meta.url).href.replace(/(?<!\/dist)\/src\/(?!.*\/src\/)/, '/dist/src/'),
);

/** The time from the weights in memory to the first call, in which only the chat template is tried. */
const LONGEST_TEMPLATE_MS = 20_000;

/** Runs GGUF models on this machine's processors or graphics card, with a process for each replica. */
@HostsModels({ name: 'local' })
export class LocalHost extends ModelHost {
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
    const child = fork(PROGRAM, {
      // The engine must not see the service's environment, which has its secrets.
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'json',
    });
    const replica = new LocalReplica(child, this.address, listener);
    replica.serve({
      type: 'serve',
      ...order,
      address: this.address,
      contextTokens: this.settings.MODEL_CONTEXT_TOKENS,
      threads: this.settings.MODEL_THREADS || Math.max(1, Math.floor(availableParallelism() / 2)),
    });
    return replica;
  }
}

/** Returns the address by which other machines or containers reach this one. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}

class LocalReplica implements Replica {
  private end: ReplicaEnd | undefined;
  private hasEnded = false;
  private templateTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly child: ChildProcess,
    private readonly address: string,
    private readonly listener: ReplicaListener,
  ) {
    child.on('message', (message: FromReplica) => this.receive(message));
    child.once('error', () => this.ended('it could not be started'));
    child.once('exit', (code, signal) =>
      this.ended(signal ? `it was ended by the signal ${signal}` : `it ended with the exit code ${code}`),
    );
  }

  serve(message: ServeMessage): void {
    this.send(message);
  }

  drain(): void {
    this.end = { code: 'DRAINED', message: 'The replica was stopped.' };
    this.send({ type: 'drain' });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private receive(message: FromReplica): void {
    if (message.type === 'load') this.listener.load(message);
    else if (message.type === 'failed') this.end = message;
    else if (message.type === 'loaded') {
      this.templateTimer = setTimeout(() => this.templateTimedOut(), LONGEST_TEMPLATE_MS).unref();
    } else {
      clearTimeout(this.templateTimer);
      const host = this.address.includes(':') ? `[${this.address}]` : this.address;
      this.listener.ready(`http://${host}:${message.port}`);
    }
  }

  private templateTimedOut(): void {
    this.end = {
      code: 'CHAT_TEMPLATE_ENDLESS',
      message: `The chat template of the model (tokenizer.chat_template) did not end within ${LONGEST_TEMPLATE_MS / 1000} seconds. Correct it, and import the model again.`,
    };
    this.kill();
  }

  private ended(how: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.templateTimer);
    const died = { code: 'REPLICA_DIED' as const, message: `The process that runs the model died: ${how}.` };
    this.listener.ended(this.end ?? died);
  }

  /** Ignores a failure to send: a child process that has ended reports it with the event `exit`. */
  private send(message: ToReplica): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}
