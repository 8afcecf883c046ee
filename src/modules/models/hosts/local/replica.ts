import { Engine } from './engine.js';
import { EngineFault } from './engine-fault.js';
import type { FromReplica, ServeMessage, ToReplica } from './replica-messages.js';
import { ReplicaServer } from './replica-server.js';

/**
 * The program of a replica, which runs one model and serves it over HTTP. A bad model file can harm only this process,
 * which ends together with the process that started it.
 */
let server: ReplicaServer | undefined;

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToReplica) => {
  if (message.type === 'drain') server?.drain();
  else if (message.type === 'closeConnections') server?.closeConnections();
  else serve(message).catch(fail);
});

async function serve(order: ServeMessage): Promise<void> {
  const engine = await Engine.load(order, sendLoaded);
  server = new ReplicaServer(engine, order.token, () => process.exit(0));
  reportLoad(engine);
  send({ type: 'ready', port: await server.listen(order.address, order.port) });
}

/** Resolves when the message is sent, because an endless chat template keeps this process from sending another one. */
function sendLoaded(): Promise<void> {
  const message: FromReplica = { type: 'loaded' };
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** Reports all changes within one turn of the event loop in one message. */
function reportLoad({ chats }: Engine): void {
  let isScheduled = false;
  chats.onChange = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      send({ type: 'load', active: chats.active, waiting: chats.waiting });
    });
  };
}

function fail(error: unknown): void {
  process.send?.(faultOf(error), () => process.exit(1));
}

function faultOf(error: unknown): FromReplica {
  if (error instanceof EngineFault && (error.code === 'ENGINE_MISSING' || error.code === 'MODEL_NOT_LOADED')) {
    return { type: 'failed', code: error.code, message: error.message };
  }
  return { type: 'failed', code: 'REPLICA_DIED', message: 'The replica could not begin to listen.' };
}

function send(message: FromReplica): void {
  process.send?.(message);
}
