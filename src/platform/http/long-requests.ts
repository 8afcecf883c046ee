import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const sockets = new WeakSet<Duplex>();

/** Lets a request take longer than the server allows others. Node reports each request that does so only once. */
export function letTakeLong(request: IncomingMessage): void {
  const { socket } = request;
  sockets.add(socket);
  request.once('close', () => sockets.delete(socket));
}

export function mayTakeLong(socket: Duplex): boolean {
  return sockets.has(socket);
}
