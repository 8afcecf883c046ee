import { z } from 'zod';
import { clock } from '../../src/kernel/clock.js';
import type { Answer } from './client.js';
import { type Asked, DocumentedAnswers } from './documented-answers.js';
import type { OpenApi } from './open-api.js';

const REQUEST_ID = /^tr-[0-9A-Za-z]{22}$/;

/** Words of a stack, of SQL or of a library, which no answer may contain. */
const INTERNALS =
  /\\n +at |node_modules|\.(js|ts):\d+|ECONN|SQLSTATE|\bselect\b.+\bfrom\b|insert into|violates|mikro|kysely|nestjs|ZodError/i;

const MEMBERS = ['success', 'statusCode', 'error', 'required', 'meta'];
/** The last two are on the routes that clients of OpenAI call. */
const ERROR_MEMBERS = ['code', 'message', 'details', 'type', 'param'];

/** The members of an error as RFC 9457 has it. Its `type` leads to the page of errors. */
const Problem = z.strictObject({
  type: z.string().regex(/^\/docs\/errors#[A-Z0-9_]+$/),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/** Checks the rules of every answer. The test client calls it for each answer, so no test needs to. */
export function checkAnswer(answer: Answer): void {
  const requestId = answer.headers.get('x-request-id') ?? '';
  claim(answer, REQUEST_ID.test(requestId), 'has a header x-request-id');
  claim(answer, !answer.headers.has('x-powered-by'), 'does not say what it is made with');

  const { body } = answer;
  if (!isObject(body)) return;
  if (isObject(body.meta)) {
    claim(answer, body.meta.requestId === requestId, 'has the same request id in header and meta');
    claim(answer, isRecent(body.meta.timestamp), 'has the time in meta');
  }
  if (answer.status >= 400) checkRefusal(answer, body);
}

let readDocument: (() => OpenApi) | undefined;
let documented: DocumentedAnswers | undefined;

/** Compares the answers that follow with this document. It is read with the first answer, and kept for other test files. */
export function compareWith(read: () => OpenApi): void {
  if (read === readDocument) return;
  readDocument = read;
  documented = undefined;
}

/** Checks that the answer's status, media type and every member of its body are documented. */
export function checkDocumented(asked: Asked, answer: Answer): void {
  if (isProblem(answer)) return;
  const { status, headers, body, text } = answer;
  if (!readDocument) throw new Error('Name the document that answers are compared with by `compareWith`.');
  documented ??= new DocumentedAnswers(readDocument());
  const fault = documented.fault(asked, { status, contentType: headers.get('content-type') ?? '', body });
  if (fault === undefined) return;
  throw new Error(`${fault}. Mend the answer or its schema, and run \`npm run docs\`. It was ${text.slice(0, 2000)}`);
}

function checkRefusal(answer: Answer, body: Record<string, unknown>): void {
  // Ids are left out, because random characters may spell any word.
  claim(answer, !INTERNALS.test(answer.text.replaceAll(/-\w{22}\b/g, '')), 'tells nothing of the inside');
  if (isProblem(answer)) return claim(answer, Problem.safeParse(body).success, 'is what RFC 9457 has it');
  if (answer.headers.has('x-error-code')) return checkNumericRefusal(answer, body);
  claim(answer, onlyHas(body, MEMBERS), 'has no other members than an error has');
  claim(answer, body.success === false && body.statusCode === answer.status, 'repeats its status');
  claim(answer, isObject(body.meta), 'has meta');
  const { error } = body;
  claim(answer, isObject(error) && onlyHas(error, ERROR_MEMBERS), 'has an error of the known members');
  const { code, message } = error as Record<string, unknown>;
  claim(answer, /^[A-Z][A-Z0-9_]+$/.test(String(code)), 'has a code');
  claim(answer, typeof message === 'string' && message.length > 10 && !/\{\w+\}/.test(message), 'has a message');
}

/** Checks refusals of the hooks, whose code is in a header. */
function checkNumericRefusal(answer: Answer, body: Record<string, unknown>): void {
  const { code, message } = body;
  claim(answer, onlyHas(body, ['code', 'message']) && code === answer.status, 'is its status and a message');
  claim(answer, typeof message === 'string' && message.length > 10 && !/\{\w+\}/.test(message), 'has a message');
}

/** An error that was asked for in this form, which the document says of all of them at once. */
function isProblem({ headers }: Answer): boolean {
  return headers.get('content-type')?.startsWith('application/problem+json') ?? false;
}

function claim(answer: Answer, holds: boolean, what: string): void {
  if (holds) return;
  const headers = JSON.stringify(Object.fromEntries(answer.headers));
  throw new Error(
    `Not every answer ${what}. This one has not: ${answer.status} ${headers} ${answer.text.slice(0, 2000)}`,
  );
}

function onlyHas(object: object, members: string[]): boolean {
  return Object.keys(object).every((name) => members.includes(name));
}

function isRecent(timestamp: unknown): boolean {
  if (typeof timestamp !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp)) return false;
  return Math.abs(Date.parse(timestamp) - clock.now().getTime()) < 60_000;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
