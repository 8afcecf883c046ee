import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy before a server. While it is cut, no byte passes and no connection ends, as if a cable were unplugged. */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(targetUrl: string): Promise<CuttingProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer({ pauseOnConnect: true }, (client) => proxy.carry(client, connect(+port, hostname)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(targetUrl);
    url.port = String((server.address() as AddressInfo).port);
    const proxy: CuttingProxy = new CuttingProxy(server, url.href);
    return proxy;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Lets the bytes pass that were sent meanwhile, as TCP repeats what was not acknowledged. */
  heal(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private carry(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isCut) from.pause();
      else from.resume();
    }
  }
}
