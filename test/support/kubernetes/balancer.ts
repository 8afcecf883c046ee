import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer in front of the service, at whose address pods read their models. It sends requests on. */
export class Balancer {
  /** The statuses of the next answers, instead of those of the service. */
  readonly refusals: number[] = [];
  /** The address of the service. */
  target = '';
  /** The number of next answers that break off. */
  broken = 0;
  private readonly server = createServer(({ url }, response) => {
    if (this.broken > 0) return this.breakOff(response);
    response.writeHead(this.refusals.shift() ?? 307, { location: `${this.target}${url}` }).end();
  });

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private breakOff(response: ServerResponse): void {
    this.broken -= 1;
    response.writeHead(206, { 'content-range': 'bytes 0-99/100', 'content-length': 100 });
    response.write('the beginning', () => response.destroy());
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
