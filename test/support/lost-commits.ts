import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy before a database. After it is armed, the next commit succeeds and its answer is lost. */
export class LostCommits {
  private isArmed = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly url: string,
    private readonly close: () => Promise<void>,
  ) {}

  static async before(databaseUrl: string): Promise<LostCommits> {
    const target = new URL(databaseUrl);
    const server = createServer((client) => proxy.carry(client, connect(Number(target.port), target.hostname)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const proxy: LostCommits = new LostCommits(url.href, () => new Promise((resolve) => server.close(() => resolve())));
    return proxy;
  }

  loseNext(): void {
    this.isArmed = true;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.close();
  }

  private carry(client: Socket, server: Socket): void {
    let isLosing = false;
    client.on('data', (bytes) => {
      if (this.isArmed && /\bcommit\0/i.test(bytes.toString('latin1'))) {
        this.isArmed = false;
        isLosing = true;
      }
      server.write(bytes);
    });
    // Once the database answers, the commit is done.
    server.on('data', (bytes) => (isLosing ? client.destroy() : client.write(bytes)));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
    }
  }
}
