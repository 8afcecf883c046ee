import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism, networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../../platform/config/settings.js';
import type { Inspected } from '../contents/facts.js';
import type { FromReplica, ServeMessage, ToReplica } from './local/replica-messages.js';
import { ModelHost, type Replica, type ReplicaEnd, type ReplicaListener, type ReplicaOrder } from './model-host.js';

/** Always the built program: it is started by itself, also from tests that run the sources. */
const PROGRAM = fileURLToPath(
  new URL('local/replica.js', import.meta.url).href.replace(/(?<!\/dist)\/src\/(?!.*\/src\/)/, '/dist/src/'),
);

/** From the weights in memory to the first call: what is left is to try the chat template. */
const LONGEST_TEMPLATE_MS = 20_000;

/** GGUF models on this machine's processors or its graphics card, each replica in a process of its own. */
@Injectable()
export class LocalHost extends ModelHost {
  readonly name = 'local';

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
      // Nothing of what the service was started with: its secrets are none of the engine's business.
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

/** As other machines know this one, or other containers. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}

class LocalReplica implements Replica {
  private end: ReplicaEnd | undefined;
  private isOver = false;
  private untilReady: NodeJS.Timeout | undefined;

  constructor(
    private readonly child: ChildProcess,
    private readonly address: string,
    private readonly listener: ReplicaListener,
  ) {
    child.on('message', (message: FromReplica) => this.hear(message));
    child.once('error', () => this.over('it could not be started'));
    child.once('exit', (code, signal) => this.over(signal ? `it was ended by ${signal}` : `it ended with ${code}`));
  }

  serve(message: ServeMessage): void {
    this.tell(message);
  }

  drain(): void {
    this.end = { code: 'DRAINED', message: 'It was told to end.' };
    this.tell({ type: 'drain' });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private hear(message: FromReplica): void {
    if (message.type === 'load') this.listener.load(message);
    else if (message.type === 'failed') this.end = message;
    else if (message.type === 'loaded') this.untilReady = setTimeout(() => this.tooLate(), LONGEST_TEMPLATE_MS).unref();
    else {
      clearTimeout(this.untilReady);
      const host = this.address.includes(':') ? `[${this.address}]` : this.address;
      this.listener.ready(`http://${host}:${message.port}`);
    }
  }

  private tooLate(): void {
    this.end = {
      code: 'CHAT_TEMPLATE_ENDLESS',
      message: `The chat template of the model (tokenizer.chat_template) did not end within ${LONGEST_TEMPLATE_MS / 1000} seconds. Mend it, and import the model again.`,
    };
    this.kill();
  }

  private over(how: string): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.untilReady);
    const died = { code: 'REPLICA_DIED' as const, message: `The process that runs the model died: ${how}.` };
    this.listener.ended(this.end ?? died);
  }

  /** One that is gone already is heard of by its exit. */
  private tell(message: ToReplica): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}
