import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyCallback, type Callback } from '../../verify-callback.js';
import { actionsByName, countOf, UsageError, type Command, type Invocation } from '../command.js';
import { shown } from '../table.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export const webhooks: Command = {
  summary: 'Receives callbacks on this machine, verifies and prints them.',
  notes: 'SLIPWAY_WEBHOOK_SECRET works instead of --secret. With --count, it ends after N genuine callbacks.',
  ...actionsByName(
    'webhooks',
    {
      listen: {
        usage: 'slipway webhooks listen [--port 3001] [--secret whsec_…] [--count N]',
        words: [],
        isLocal: true,
        options: { port: { type: 'string' }, secret: { type: 'string' }, count: { type: 'string' } },
        async run(call) {
          const secret = (call.text('secret') ?? call.env.SLIPWAY_WEBHOOK_SECRET) || undefined;
          if (secret === undefined) {
            throw new UsageError('Give the secret of the subscription with --secret, or set SLIPWAY_WEBHOOK_SECRET.');
          }
          await listen(secret, countOf(call, 'port', 3001), countOf(call, 'count', Infinity), call);
        },
      },
    },
    'listen',
  ),
};

async function listen(secret: string, port: number, count: number, call: Invocation): Promise<void> {
  const server = createServer();
  await once(server.listen(port, '127.0.0.1'), 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Another program uses the port ${port}. Choose another one with --port.`);
  });
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let received = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void receive(request, response, secret, call)
      .catch((error: Error) => brokenOff(error, call))
      .then((isGenuine) => {
        if (isGenuine && ++received >= count) stop.abort();
      });
  });
  call.terminal.note(`Receiving callbacks on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await once(stop.signal, 'abort');
  server.close();
  server.closeIdleConnections();
  await once(server, 'close');
}

/** Says that a connection was lost before its callback had arrived. The listening goes on. */
function brokenOff({ message }: Error, { terminal, isJson }: Invocation): false {
  const reason = `The connection was lost before the callback had arrived (${message}).`;
  if (isJson) terminal.json({ isGenuine: false, reason });
  else terminal.say(shown(`NOT GENUINE  ${reason}`));
  return false;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
  { terminal, isJson }: Invocation,
): Promise<boolean> {
  response.setHeader('connection', 'close');
  const raw = await bodyOf(request);
  if (raw === undefined) {
    response.writeHead(413).end();
    return false;
  }
  try {
    const callback = await verifyCallback(raw, request.headers, secret);
    if (isJson) terminal.json({ isGenuine: true, ...callback });
    else terminal.say(lineOf(callback));
    response.writeHead(200).end();
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (isJson) terminal.json({ isGenuine: false, reason: message, raw: raw.toString() });
    else terminal.say(`NOT GENUINE  ${message}  ${shown(raw.toString().slice(0, 200))}`);
    response.writeHead(401).end();
    return false;
  }
}

function lineOf({ event, body }: Callback): string {
  return shown(`${event}  ${body.message_id}  ${body.session_key}  ${body.response ?? body.status ?? ''}`);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // The connection stays open after a break of this loop, so that the sender gets its answer.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
