import { Engine } from './engine.js';
import { EngineFault } from './engine-fault.js';
import type { FromReplica, ServeMessage, ToReplica } from './replica-messages.js';
import { ReplicaServer } from './replica-server.js';

/**
 * The program of a replica: runs one model and serves it on this machine. What a bad file does to the engine, it does
 * to this process alone. It ends with the process that started it.
 */
let server: ReplicaServer | undefined;

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToReplica) => {
  if (message.type === 'drain') server?.drain();
  else serve(message).catch(fail);
});

async function serve(order: ServeMessage): Promise<void> {
  const engine = await Engine.load(order, tellLoaded);
  server = new ReplicaServer(engine, order.token, () => process.exit(0));
  tellLoad(engine);
  tell({ type: 'ready', port: await server.listen(order.address) });
}

/** Sent before it returns: a chat template may keep this process from saying anything more. */
function tellLoaded(): Promise<void> {
  const message: FromReplica = { type: 'loaded' };
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** Once for all that changes in one turn. */
function tellLoad({ slots }: Engine): void {
  let isTold = true;
  slots.onChange = () => {
    if (!isTold) return;
    isTold = false;
    setImmediate(() => {
      isTold = true;
      tell({ type: 'load', active: slots.active, waiting: slots.waiting });
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

function tell(message: FromReplica): void {
  process.send?.(message);
}
