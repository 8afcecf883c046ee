import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy before a database that can hang: it accepts connections and passes nothing on. */
export class StallingProxy {
  private readonly sockets = new Set<Socket>();
  private isStalled = false;

  private constructor(
    readonly url: string,
    private readonly close: () => void,
  ) {}

  static async before(databaseUrl: string): Promise<StallingProxy> {
    const target = new URL(databaseUrl);
    const server = createServer((client) => proxy.carry(client, connect(Number(target.port), target.hostname)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const proxy: StallingProxy = new StallingProxy(url.href, () => server.close());
    return proxy;
  }

  stall(): void {
    this.isStalled = true;
    for (const socket of this.sockets) socket.pause();
  }

  goOn(): void {
    this.isStalled = false;
    for (const socket of this.sockets) socket.resume();
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.close();
  }

  private carry(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from
        .on('data', (bytes) => to.write(bytes))
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      if (this.isStalled) from.pause();
    }
  }
}
