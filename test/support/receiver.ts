import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

export interface ReceivedCallback {
  path: string;
  event: string;
  messageId: string;
  headers: Record<string, string>;
  receivedAt: number;
  /** The bytes, unchanged. */
  raw: string;
  body: CallbackBody;
}

export interface CallbackBody {
  message_id: string;
  related_message_id?: string;
  session_key: string;
  session_id: string;
  response?: string;
  status?: string;
  is_new_session?: boolean;
  metadata?: unknown;
  [member: string]: unknown;
}

type Behaviour = (response: ServerResponse, times: number) => void;

/** The receiver's behaviours, by the first part of the path. On any other path it answers well. */
const BEHAVIOURS: Record<string, Behaviour> = {
  failing: (response) => void response.writeHead(500).end('oops'),
  /** Fails twice, then accepts the callback. */
  flaky: (response, times) => void response.writeHead(times <= 2 ? 503 : 200).end('now then'),
  markup: (response) => void response.writeHead(500).end('<img src=x onerror=console.error(1)>'),
  moved: (response) => void response.writeHead(301, { location: '/elsewhere' }).end(),
  gone: (response) => void response.writeHead(410).end(),
  /** Asks once for two seconds of waiting. */
  busy: (response, times) =>
    void (times === 1 ? response.writeHead(429, { 'retry-after': '2' }).end() : response.writeHead(204).end()),
  silent: () => undefined,
  hangup: (response) => void response.socket?.destroy(),
  endless: (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_000_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  'cut-off': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half', () => setImmediate(() => response.destroy()));
  },
  slow: (response) => {
    response.writeHead(200);
    response.write('and then');
  },
};

/** A receiver of callbacks on a real socket. */
export class Receiver {
  readonly callbacks: ReceivedCallback[] = [];
  /** Chooses the behaviour below `/moody`, again for each callback. */
  mood: () => string = () => 'well';

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const receiver = new Receiver(server, (server.address() as AddressInfo).port);
    server.on('request', (request, response) => void receiver.take(request, response));
    return receiver;
  }

  url(behaviour = 'well'): string {
    return `http://127.0.0.1:${this.port}/${behaviour}`;
  }

  /** Returns the callbacks to this path. */
  at(behaviour: string): ReceivedCallback[] {
    return this.callbacks.filter(({ path }) => path === `/${behaviour}`);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const raw = await text(request);
    const headers = request.headers as Record<string, string>;
    const path = request.url!;
    const messageId = headers['webhook-id'] ?? '';
    this.callbacks.push({
      path,
      event: headers['webhook-event'] ?? '',
      messageId,
      headers,
      receivedAt: Date.now(),
      raw,
      body: JSON.parse(raw) as CallbackBody,
    });
    const times = this.callbacks.filter((one) => one.path === path && one.messageId === messageId).length;
    const [, asked = ''] = path.split('/');
    const behaviour = BEHAVIOURS[asked === 'moody' ? this.mood() : asked];
    if (behaviour) behaviour(response, times);
    else response.writeHead(200).end('thanks');
  }
}

/** Verifies a callback with the official library and with that of Svix, which throw if it is not genuine. */
export function verify({ raw, headers }: ReceivedCallback, secret: string): unknown {
  new SvixWebhook(secret).verify(raw, headers);
  return new Webhook(secret).verify(raw, headers);
}
