import type { Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MOST_VALUES, tooMuchToParse } from '../../kernel/json-rules.js';
import { httpErrors } from './http.errors.js';
import { validationError } from './validation.js';

const MIB = 1024 * 1024;

interface Format {
  /** As in `content-type`, for documentation and refusals. */
  readonly mediaType: string;
  /** Whether this is the format that `content-type` names; the type alone, in lower case. */
  matches(type: string): boolean;
}

/** A way in which a route's body may be written. Whatever the way, what it parses to is checked by the same schema. */
export interface BodyFormat extends Format {
  /** Unpacked, where it comes packed. */
  readonly maxBytes: number;
  readonly takesGzip?: boolean;
  /** Whether no bytes at all say something in it, as in protobuf: a message with nothing in it. */
  readonly mayBeEmpty?: boolean;
  parse(bytes: Buffer): unknown;
}

/** A body that is too large to be collected: it is taken in as it arrives, and what comes of that is checked. */
export interface StreamedBody extends Format {
  readonly receiver: Type<BodyReceiver>;
  /** What a body is in that calls itself JSON, by how it begins; undefined where it is none of this format. */
  readonly typeOfBeginning?: (bytes: Buffer) => string | undefined;
}

export interface BodyReceiver {
  /** Bounds what it reads. Stops with the request's signal. */
  receive(request: Request, response: Response): Promise<unknown>;
}

/** A form with a file. */
export function formBody(receiver: Type<BodyReceiver>): StreamedBody {
  const mediaType = 'multipart/form-data';
  return { mediaType, matches: (type) => type === mediaType, receiver, typeOfBeginning };
}

/** A form begins with its boundary and the header of a part; a published sample sends it as JSON. */
const FORM_BEGINNING = /^--([\w'()+,./:=?-]{1,70})\r\ncontent-(?:disposition|type):/i;

function typeOfBeginning(bytes: Buffer): string | undefined {
  const boundary = FORM_BEGINNING.exec(bytes.toString('latin1'))?.[1];
  return boundary && `multipart/form-data; boundary="${boundary}"`;
}

/** What every route takes that says nothing else. */
export const JSON_BODY = jsonBody(1);

export function jsonBody(maxMiB: number, mostValues = MOST_VALUES): BodyFormat {
  return {
    mediaType: 'application/json',
    maxBytes: maxMiB * MIB,
    matches: (type) => /^application\/([\w.+-]+\+)?json$/.test(type),
    parse: (bytes) => {
      refuseTooMuch(bytes, mostValues);
      return parseJson(bytes);
    },
  };
}

/** What a form of a page sends that has no files. Of a field that comes twice the last one counts. */
export const PAGE_FORM_BODY: BodyFormat = {
  mediaType: 'application/x-www-form-urlencoded',
  maxBytes: 16 * 1024,
  matches: (type) => type === 'application/x-www-form-urlencoded',
  parse: (bytes) => Object.fromEntries(new URLSearchParams(bytes.toString())),
};

/** The format, compressed or not. */
export function orGzipped(format: BodyFormat): BodyFormat {
  return { ...format, takesGzip: true };
}

/**
 * A row a line. The rows become the member of an object, as they stand in the JSON body of the same route; of too many
 * there is one more than may be, for its schema to refuse.
 */
export function ndjsonBody(maxMiB: number, member: string, maxRows: number): BodyFormat {
  return {
    mediaType: 'application/x-ndjson',
    maxBytes: maxMiB * MIB,
    matches: (type) => type === 'application/x-ndjson' || type === 'application/jsonl',
    parse: (bytes) => {
      refuseTooMuch(bytes, MOST_VALUES_IN_LINES);
      return { [member]: parseLines(bytes, maxRows + 1) };
    },
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const NEWLINE = 0x0a;
const BLANK = 0x20;
/** Each line is parsed on its own, so they may have more together. */
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
