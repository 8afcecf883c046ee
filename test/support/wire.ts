import { request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { type Answer, answerOf } from './client.js';
import type { Asked } from './documented-answers.js';

/** A request whose body has not been sent completely. */
export interface OpenRequest {
  /** Settles with the answer, which may come long before the end of the body. */
  readonly answer: Promise<Answer>;
  /** Sends another part of the body. */
  write(more: string): void;
  /** Sends the rest of the body. */
  finish(rest?: string): void;
  /** Closes the connection without waiting for an answer. */
  abandon(): void;
}

export interface OpenRequestOptions {
  verb: string;
  path: string;
  key?: string;
  headers?: Record<string, string>;
  /** The part that is sent at once. `finish` sends the rest. */
  begin: string;
}

/** Sends a request except for the rest of its body, so that it runs for as long as the test needs. */
export function openRequest(url: string, { verb, path, key, headers, begin }: OpenRequestOptions): OpenRequest {
  const request = startRequest(url + path, {
    method: verb,
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...(headers?.['content-length'] === undefined && { 'transfer-encoding': 'chunked' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        // If the answer comes before the end of the body, the connection cannot be used again.
        request.destroy();
        const received = new Headers(
          Object.entries(response.headersDistinct).map(([name, values]) => [name, values!.join(', ')]),
        );
        resolve(answerOf({ verb, path }, response.statusCode!, received, Buffer.concat(chunks).toString()));
      });
    });
  });
  // Tests that abandon a request do not wait for its answer.
  answer.catch(() => undefined);
  request.write(begin);
  return {
    answer,
    write: (more) => void request.write(more),
    finish: (rest = '') => request.end(rest),
    abandon: () => request.destroy(),
  };
}

/** Sends bytes unchanged and returns the first answer, for requests that no HTTP client would send. */
export async function sendBytes(url: string, ...parts: (string | Uint8Array)[]): Promise<Answer> {
  const text = await exchange(url, parts);
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  const length = headers.get('content-length');
  const body = text.slice(end + 4);
  const whole = length === null ? body : body.slice(0, Number(length));
  return answerOf(askedBy(parts), Number(statusLine.split(' ')[1]), headers, whole);
}

/** Reads the request line of the bytes, if they are HTTP. */
function askedBy([first]: (string | Uint8Array)[]): Asked | undefined {
  const [, verb, path] = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/.exec(Buffer.from(first ?? '').toString('latin1')) ?? [];
  return verb && path ? { verb, path } : undefined;
}

/** Returns everything until the server closes the connection or an answer is complete. */
function exchange(url: string, parts: (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    const done = () => {
      socket.destroy();
      if (received) resolve(received);
      else reject(new Error('The server closed the connection without an answer'));
    };
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      received += data;
      if (isWhole(received)) done();
    });
    socket.once('error', () => done());
    socket.once('close', () => done());
    for (const part of parts) socket.write(part);
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
