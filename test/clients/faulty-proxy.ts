import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fault that happens to one request. */
export type Fault =
  | { kind: 'lost request' }
  /** The service does its work, and its answer is lost. */
  | { kind: 'lost answer' }
  /** The answer is cut off after its first bytes. */
  | { kind: 'cut answer' }
  | { kind: 'silence' }
  /** The answer stays open after its first bytes, and nothing follows. */
  | { kind: 'stalled answer' }
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string };

export interface Seen {
  line: string;
  headers: IncomingMessage['headers'];
  /** The header `idempotency-replayed` of the service's answer. */
  isReplayed?: boolean;
  /** Whether the client has closed the connection before the end of the answer. */
  isLeft?: boolean;
}

/** A network that stands in front of a service and loses what a test wants to be lost. */
export class FaultyProxy {
  readonly seen: Seen[] = [];
  private readonly faults: { at: RegExp; fault: Fault }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxy = new FaultyProxy(server, target);
    server.on('request', (request, response) => void proxy.pass(request, response).catch(() => response.destroy()));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next requests whose line matches suffer these faults, one each. */
  next(at: RegExp, ...faults: Fault[]): void {
    this.seen.length = 0;
    this.faults.push(...faults.map((fault) => ({ at, fault })));
  }

  at(line: RegExp): Seen[] {
    return this.seen.filter((one) => line.test(one.line));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen: Seen = { line: `${request.method} ${request.url}`, headers: request.headers };
    this.seen.push(seen);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const fault = this.faultOf(seen.line);
    if (fault?.kind === 'lost request') return void response.destroy();
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'answer') return void response.writeHead(fault.status, fault.headers).end(fault.body);

    const left = new AbortController();
    response.on('close', () => {
      seen.isLeft = !response.writableFinished;
      left.abort();
    });
    const answer = await fetch(this.target + request.url, {
      method: request.method!,
      headers: headersFor(request),
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      signal: left.signal,
      redirect: 'manual',
    });
    seen.isReplayed = answer.headers.get('idempotency-replayed') === 'true';
    if (fault?.kind === 'lost answer') return void (await answer.arrayBuffer().then(() => response.destroy()));
    response.writeHead(answer.status, headersOf(answer));
    for await (const part of answer.body ?? []) {
      response.write(part);
      if (fault?.kind === 'cut answer') return void setImmediate(() => response.destroy());
      if (fault?.kind === 'stalled answer') return;
    }
    response.end();
  }

  private faultOf(line: string): Fault | undefined {
    const at = this.faults.findIndex((one) => one.at.test(line));
    return at < 0 ? undefined : this.faults.splice(at, 1)[0]!.fault;
  }
}

const OF_THE_CONNECTION = ['connection', 'host', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'];

function headersFor({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => ![...OF_THE_CONNECTION, 'content-encoding'].includes(name)),
  );
}
