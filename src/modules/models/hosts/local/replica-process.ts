import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Replica, ReplicaEnd, ReplicaListener } from '../model-host.js';
import type { FromReplica, ServeMessage, ToReplica } from './replica-messages.js';

/** The path of the built program, even in tests that run the sources, because a child process needs JavaScript. */
const PROGRAM = fileURLToPath(
  new URL('replica.js', import.meta.url).href.replace(/(?<!\/dist)\/src\/(?!.*\/src\/)/, '/dist/src/'),
);

/** The time from the weights in memory to the first call, in which only the chat template is tried. */
export const LONGEST_TEMPLATE_MS = 20_000;

/** Starts a process that runs one model on this machine. */
export function startReplica(
  message: ServeMessage,
  listener: ReplicaListener,
  longestTemplateMs = LONGEST_TEMPLATE_MS,
): ReplicaProcess {
  const child = fork(PROGRAM, {
    // The engine must not see the environment of this process, which has its secrets.
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'json',
  });
  return new ReplicaProcess(child, message, listener, longestTemplateMs);
}

/** The process of a replica. */
export class ReplicaProcess implements Replica {
  private end: ReplicaEnd | undefined;
  private hasEnded = false;
  private templateTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly child: ChildProcess,
    private readonly message: ServeMessage,
    private readonly listener: ReplicaListener,
    private readonly longestTemplateMs: number,
  ) {
    child.on('message', (message: FromReplica) => this.receive(message));
    child.once('error', () => this.ended('it could not be started'));
    child.once('exit', (code, signal) =>
      this.ended(signal ? `it was ended by the signal ${signal}` : `it ended with the exit code ${code}`),
    );
    this.send(message);
  }

  /** Closes each connection after its next answer, so that callers make a new one, which may lead elsewhere. */
  closeConnections(): void {
    this.send({ type: 'closeConnections' });
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
      this.templateTimer = setTimeout(() => this.templateTimedOut(), this.longestTemplateMs).unref();
    } else {
      clearTimeout(this.templateTimer);
      const { address } = this.message;
      const host = address.includes(':') ? `[${address}]` : address;
      this.listener.ready(`http://${host}:${message.port}`);
    }
  }

  private templateTimedOut(): void {
    this.end = {
      code: 'CHAT_TEMPLATE_ENDLESS',
      message: `The chat template of the model (tokenizer.chat_template) did not end within ${this.longestTemplateMs / 1000} seconds. Correct it, and import the model again.`,
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
