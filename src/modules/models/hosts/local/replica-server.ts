import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Engine } from './engine.js';
import { EngineFault } from './engine-fault.js';
import type { GenerateLine, GenerateRequest } from '../replica-calls.js';

const LONGEST_BODY = 32 * 1024 * 1024;

const STATUSES: Partial<Record<EngineFault['code'], number>> = {
  PROMPT_TOO_LONG: 400,
  SCHEMA_NOT_TAKEN: 400,
  TOO_MANY_WAIT: 429,
};

/** Serves a model over HTTP to the service alone: a request without the token is refused before anything else. */
export class ReplicaServer {
  private readonly server: Server;
  private readonly tokenDigest: Buffer;
  private isClosing = false;
  private isDraining = false;
  private answering = 0;

  constructor(
    private readonly engine: Engine,
    token: string,
    private readonly onIdle: () => void,
  ) {
    this.tokenDigest = digestOf(`Bearer ${token}`);
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.keepAliveTimeout = 60_000;
  }

  listen(address: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, address, () => resolve((this.server.address() as { port: number }).port));
    });
  }

  closeConnections(): void {
    this.isClosing = true;
  }

  drain(): void {
    this.isDraining = true;
    this.server.closeIdleConnections();
    this.endIfIdle();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isClosing) response.setHeader('connection', 'close');
    const sentDigest = digestOf(request.headers.authorization ?? '');
    if (!timingSafeEqual(sentDigest, this.tokenDigest)) return refuse(response, 401, 'Unknown token');
    if (this.isDraining) return refuse(response, 503, 'The replica does not accept more calls');
    if (request.method !== 'POST' || request.url !== '/generate') return refuse(response, 404, 'POST /generate');
    this.answering += 1;
    try {
      await this.answer(request, response);
    } catch (error) {
      const fault = error instanceof EngineFault ? error : undefined;
      refuse(response, (fault && STATUSES[fault.code]) ?? 500, fault?.message ?? 'The engine failed');
    } finally {
      this.answering -= 1;
      this.endIfIdle();
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort(new Error('The caller closed the connection')));
    const body = JSON.parse(await bodyOf(request)) as GenerateRequest;
    const lines = new Lines(response, body.isStream);
    const end = await this.engine.answer(body, leaving.signal, (line) => lines.add(line));
    lines.end({ end });
  }

  private endIfIdle(): void {
    if (!this.isDraining || this.answering > 0) return;
    this.server.close();
    this.onIdle();
  }
}

/** Writes the lines of an answer, either as they are generated or all at the end. Texts in a row become one line. */
class Lines {
  private unsent = '';
  private text = '';

  constructor(
    private readonly response: ServerResponse,
    private readonly isStream: boolean,
  ) {}

  add(line: GenerateLine): void {
    if ('text' in line) this.text += line.text;
    else this.append(line);
    if (this.isStream) this.send();
  }

  end(line: GenerateLine): void {
    this.append(line);
    this.send();
    this.response.end();
  }

  private append(line: GenerateLine): void {
    this.appendText();
    this.unsent += `${JSON.stringify(line)}\n`;
  }

  private appendText(): void {
    if (this.text !== '') this.unsent += `${JSON.stringify({ text: this.text })}\n`;
    this.text = '';
  }

  private send(): void {
    this.appendText();
    if (!this.response.headersSent) this.response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    this.response.write(this.unsent);
    this.unsent = '';
  }
}

/** Destroys the connection if the answer has begun, so that the caller does not take it for a complete one. */
function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LONGEST_BODY) throw new EngineFault('PROMPT_TOO_LONG', 'does not accept requests of more than 32 MiB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
