import type { Asked } from './documented-answers.js';
import { checkAnswer, checkDocumented } from './every-answer.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Answer<Body = unknown> {
  status: number;
  /** The status, such as `200`, followed by the code of an error: `404 APP_NOT_FOUND`. */
  outcome: string;
  /** The faults that a refusal names. `faults` has their paths, each once. */
  issues: Issue[];
  faults: string[];
  headers: Headers;
  body: Body;
  text: string;
}

export interface RequestOptions {
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. `content-type` stays `application/json` unless the headers say otherwise. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
  /** Sent as multipart/form-data, unless there is a body of another kind. */
  form?: Form;
}

/** Fields by name; a `File` is the content of a field that uploads a file. */
export type Form = Record<string, string | File>;

/** A client of a service, with one key or none. A refusal is an answer like any other and is never thrown. */
export class Client {
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  static withKey(target: { url: string }, key: string): Client {
    return new Client(target.url, { 'x-api-key': key });
  }

  get<Body = unknown>(path: string, options?: RequestOptions): Promise<Answer<Body>> {
    return this.send('GET', path, options);
  }

  post<Body = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer<Body>> {
    return this.send('POST', path, { ...options, body });
  }

  put<Body = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer<Body>> {
    return this.send('PUT', path, { ...options, body });
  }

  patch<Body = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer<Body>> {
    return this.send('PATCH', path, { ...options, body });
  }

  delete<Body = unknown>(path: string, options?: RequestOptions): Promise<Answer<Body>> {
    return this.send('DELETE', path, options);
  }

  async send<Body = unknown>(verb: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
    const json = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const body = json ?? (options.form && toFormData(options.form));
    const response = await fetch(this.url + path + queryString(options.query), {
      method: verb,
      headers: {
        ...this.headers,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
    });
    return answerOf<Body>({ verb, path }, response.status, response.headers, await response.text());
  }
}

function toFormData(form: Form): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) data.append(name, value);
  return data;
}

/** Checks the rules that every answer must obey, and what the document says of this one, and parses it. */
export function answerOf<Body>(asked: Asked | undefined, status: number, headers: Headers, text: string): Answer<Body> {
  const isJson = /^application\/([\w.+-]+\+)?json/.test(headers.get('content-type') ?? '');
  const body: unknown = isJson && text ? JSON.parse(text) : text;
  const issues = issuesIn(headers, body);
  const answer = {
    status,
    outcome: outcomeOf(status, headers, body),
    issues,
    faults: [...new Set(issues.map(({ path }) => path))],
    headers,
    text,
    body: body as Body,
  };
  checkAnswer(answer);
  if (asked) checkDocumented(asked, answer);
  return answer;
}

/** The hooks write each issue in a line of the message. */
function issuesIn(headers: Headers, body: unknown): Issue[] {
  if (headers.has('x-error-code')) {
    const [, ...lines] = (body as { message?: string }).message?.split('\n') ?? [];
    return lines.map((line) => ({ path: line.split(': ', 1)[0]!, message: line.split(': ').slice(1).join(': ') }));
  }
  return ((body as Partial<Refused>).error?.details?.issues ?? []) as Issue[];
}

function outcomeOf(status: number, headers: Headers, body: unknown): string {
  const code = headers.get('x-error-code') ?? (body as { error?: { code?: string } }).error?.code;
  return code ? `${status} ${code}` : String(status);
}

export interface Issue {
  path: string;
  message: string;
}

/** The body of a refusal. */
export interface Refused {
  error: { code: string; message: string; details?: Record<string, unknown> };
  required?: string[];
  meta: { requestId: string; timestamp: string };
}

/** Matches a refusal of the request's content that names these paths and no others, for `toMatchObject`. */
export function faultsAt(...paths: string[]): object {
  return { outcome: '400 VALIDATION_ERROR', faults: paths };
}

function queryString(query: RequestOptions['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : '';
}
