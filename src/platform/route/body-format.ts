import type { Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MOST_VALUES, tooMuchToParse } from '../../kernel/json-rules.js';
import { httpErrors } from './http.errors.js';
import { validationError } from './validation.js';

const MIB = 1024 * 1024;

interface Format {
  /** The media type that documentation and refusals name. */
  readonly mediaType: string;
  /** Whether `type` names this format. It is the `content-type` in lower case and without its parameters. */
  matches(type: string): boolean;
}

/** A format of a route's body. The parsed values of all formats are checked by the same schema. */
export interface BodyFormat extends Format {
  /** The limit of the bytes as they arrive, and again after unpacking. */
  readonly maxBytes: number;
  readonly takesGzip?: boolean;
  /** Whether an empty body has a meaning. In protobuf, it is a message with no fields. */
  readonly mayBeEmpty?: boolean;
  /** Refuses bytes that would take too long to parse. It is a step of its own, so that others are served in between. */
  check?(bytes: Buffer): void;
  parse(bytes: Buffer): unknown;
}

/** A body that is too large for memory. A receiver processes it as it arrives, and the schema checks its result. */
export interface StreamedBody extends Format {
  readonly receiver: Type<BodyReceiver>;
  /**
   * Whether the client sends the rest after a break. Such a body may take as long as it needs, and a connection on which
   * nothing arrives is cut without an answer, because clients take a refusal for the end of the upload.
   */
  readonly isResumable?: boolean;
  /** Whether the request may have no body. The receiver is then not called, and the schema checks `undefined`. */
  readonly mayBeEmpty?: boolean;
  /** Returns the media type of a body that is declared as JSON but begins like this format, or undefined. */
  readonly detectMediaType?: (bytes: Buffer) => string | undefined;
}

export interface BodyReceiver {
  /** Limits the bytes that it reads, and stops when the request's signal is aborted. */
  receive(request: Request, response: Response): Promise<unknown>;
}

/** The body of a form that contains a file. */
export function formBody(receiver: Type<BodyReceiver>): StreamedBody {
  const mediaType = 'multipart/form-data';
  return { mediaType, matches: (type) => type === mediaType, receiver, detectMediaType };
}

/** A form begins with its boundary and the header of a part. A published sample declares such a body as JSON. */
const FORM_BEGINNING = /^--([\w'()+,./:=?-]{1,70})\r\ncontent-(?:disposition|type):/i;

function detectMediaType(bytes: Buffer): string | undefined {
  const boundary = FORM_BEGINNING.exec(bytes.toString('latin1'))?.[1];
  return boundary && `multipart/form-data; boundary="${boundary}"`;
}

/** The format of every route that does not declare another. */
export const JSON_BODY = jsonBody(1);

export function jsonBody(maxMiB: number, mostValues = MOST_VALUES): BodyFormat {
  return {
    mediaType: 'application/json',
    maxBytes: maxMiB * MIB,
    matches: (type) => /^application\/([\w.+-]+\+)?json$/.test(type),
    check: (bytes) => refuseTooMuch(bytes, mostValues),
    parse: (bytes) => parseJson(bytes),
  };
}

/** The body of an HTML form without files. If a field occurs twice, its last value counts. */
export const PAGE_FORM_BODY: BodyFormat = {
  mediaType: 'application/x-www-form-urlencoded',
  maxBytes: 16 * 1024,
  matches: (type) => type === 'application/x-www-form-urlencoded',
  parse: (bytes) => Object.fromEntries(new URLSearchParams(bytes.toString())),
};

/** Returns the format with compression allowed. */
export function orGzipped(format: BodyFormat): BodyFormat {
  return { ...format, takesGzip: true };
}

/**
 * A body with one row on each line. The rows become `member` of an object, as in the JSON body of the same route. At
 * most `maxRows + 1` rows are parsed, which is enough for the schema to refuse the body.
 */
export function ndjsonBody(maxMiB: number, member: string, maxRows: number): BodyFormat {
  return {
    mediaType: 'application/x-ndjson',
    maxBytes: maxMiB * MIB,
    matches: (type) => type === 'application/x-ndjson' || type === 'application/jsonl',
    check: (bytes) => refuseTooMuch(bytes, MOST_VALUES_IN_LINES),
    parse: (bytes) => ({ [member]: parseLines(bytes, maxRows + 1) }),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const NEWLINE = 0x0a;
const BLANK = 0x20;
/** The lines may have more values together, because each is parsed on its own. */
const MOST_VALUES_IN_LINES = 4 * MOST_VALUES;

function parseLines(bytes: Buffer, mostRows: number): unknown[] {
  const rows: unknown[] = [];
  let line = 1;
  for (let at = 0; at < bytes.length && rows.length < mostRows; at += 1) {
    if (bytes[at] === NEWLINE) line += 1;
    if (bytes[at]! <= BLANK) continue;
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found;
    rows.push(parseJson(bytes.subarray(at, end), ` of line ${line}`));
    at = end - 1;
  }
  return rows;
}

function refuseTooMuch(bytes: Buffer, mostValues: number): void {
  const message = tooMuchToParse(bytes, mostValues);
  if (message !== undefined) throw validationError([{ path: [], message }]);
}

function parseJson(bytes: Buffer, where = ''): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    const position = at ? ` (at character ${at}${where})` : where && ` (${where.trim()})`;
    throw httpErrors.malformedJson({ position });
  }
}
