import { once } from 'node:events';
import { createServer, Agent, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const CHECK_EVERY_MS = 1_000;
const CHECK_WITHIN_MS = 2_000;
/** The failures in a row after which a target gets no requests. One success is enough to get them again. */
const FAILURES = 2;

/** A load balancer that works as the example of HAProxy in docs/running.md, so that the tests need no other program. */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly failures = new Map<string, number>();
  private readonly checking: Promise<void>;
  private isStopping = false;
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly targets: () => readonly string[],
  ) {
    this.checking = this.checkAlways();
  }

  /** `targets` returns the addresses of the processes that exist at the moment. */
  static async before(targets: () => readonly string[]): Promise<Balancer> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const balancer = new Balancer(server, targets);
    server.on('request', (incoming, response) => void balancer.pass(incoming, response));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.checking;
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async checkAlways(): Promise<void> {
    while (!this.isStopping) {
      await Promise.all(this.targets().map((target) => this.check(target)));
      await wait(CHECK_EVERY_MS);
    }
  }

  private async check(target: string): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
    const isWell = await fetch(`${target}/health/ready`, { signal }).then(
      ({ status }) => status === 200,
      () => false,
    );
    this.failures.set(target, isWell ? 0 : (this.failures.get(target) ?? 0) + 1);
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const healthy = this.targets().filter((target) => (this.failures.get(target) ?? 0) < FAILURES);
    this.turn += 1;
    // A target that takes no connection has seen nothing of the request, so the next one may get it.
    for (let at = 0; at < healthy.length; at += 1) {
      const target = healthy[(this.turn + at) % healthy.length]!;
      if (await this.passTo(target, incoming, Buffer.concat(chunks), response)) return;
    }
    response.destroy();
  }

  /** Returns false if the target takes no connection. If it fails later, the client's connection is closed. */
  private passTo(target: string, incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<boolean> {
    const { method, headers, url } = incoming;
    return new Promise((resolve) => {
      const outgoing = request(target + url, { method, headers, agent: this.agent });
      outgoing.on('response', (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
        resolve(true);
      });
      outgoing.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') return resolve(false);
        response.destroy();
        resolve(true);
      });
      response.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  }
}
