import { randomUUID } from 'node:crypto';
import { encodeBase62, randomBase62 } from '../dist/src/kernel/base62.js';

/** @import { SentStatement, SentValue } from './statements.mjs' */

/**
 * A recording has the statements with which the service wrote one message. The floor of `bench/webhooks.mjs` and
 * `bench/scale.mjs` sends them again for other messages, so it writes the same rows as the present version of the service.
 */

/**
 * A value of a statement: as it was sent, or as pieces of text and, between them, numbers of names.
 * @typedef {{ is: string | null } | { pieces: (string | number)[], isBinary: boolean }} RecordedValue
 */

/** @typedef {{ text: string, values: RecordedValue[] }} RecordedStatement */

/**
 * @typedef {object} Recording
 * @property {string[]} names the ids and the times of the recorded message, which every message has of its own
 * @property {number} at the time of the recorded message
 * @property {RecordedStatement[][]} transactions in the order of their beginning
 */

/** The length of the part of an id that is no prefix, and of the number of a recorded session key. */
export const ID_DIGITS = 22;
const TIME_DIGITS = 8;
const TIME = /^\d{4}-\d\d-\d\dT/;
const NAME =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]+-[0-9A-Za-z]{22}/g;
const WRITES = /\b(?:insert into|delete from|update \w+ set)\b/;

/**
 * Keeps the statements with which the message wrote. Names that an earlier message has as well belong to the tenant and
 * stay as they are.
 * @param {SentStatement[]} earlier
 * @param {SentStatement[]} sent
 * @param {string} messageId
 * @returns {Recording}
 */
export function recordingOf(earlier, sent, messageId) {
  const shared = new Set(earlier.flatMap(namesIn));
  const own = (/** @type {SentStatement} */ statement) => namesIn(statement).filter((name) => !shared.has(name));
  const transactions = ofMessage(writingTransactions(sent), own, messageId);
  const names = [...new Set(transactions.flat().flatMap(own))];
  const numbers = new Map(names.map((name, number) => [name, number]));
  return {
    names,
    at: Math.min(...names.filter((name) => TIME.test(name)).map((name) => Date.parse(name))),
    transactions: transactions.map((statements) =>
      statements.map(({ text, values }) => ({ text, values: values.map((value) => recorded(value, numbers)) })),
    ),
  };
}

/**
 * Makes the ids and times of another message, whose times lie as far behind its beginning as the recorded ones.
 * @param {Recording} recording
 */
export function newNames({ names, at }) {
  const now = Date.now();
  return names.map((name) => {
    if (TIME.test(name)) return new Date(Date.parse(name) - at + now).toISOString();
    const prefix = name.slice(0, -ID_DIGITS);
    if (!/^[a-z]+-$/.test(prefix)) return randomUUID();
    return prefix + encodeBase62(now, TIME_DIGITS) + randomBase62(ID_DIGITS - TIME_DIGITS);
  });
}

/**
 * @param {RecordedValue} value
 * @param {string[]} names
 */
export function valueFor(value, names) {
  if ('is' in value) return value.is;
  const text = value.pieces.map((piece) => (typeof piece === 'number' ? names[piece] : piece)).join('');
  return value.isBinary ? Buffer.from(text, 'latin1') : text;
}

/** @param {SentValue} value */
function textOf(value) {
  return Buffer.isBuffer(value) ? value.toString('latin1') : (value ?? '');
}

/**
 * @param {SentStatement} statement
 * @returns {string[]}
 */
function namesIn({ values }) {
  return values.flatMap((value) => textOf(value).match(NAME) ?? []);
}

/**
 * @param {SentStatement[]} sent
 * @returns {SentStatement[][]} the statements that write, by transaction
 */
export function writingTransactions(sent) {
  /** @type {SentStatement[][]} */
  const transactions = [];
  /** @type {Map<number, SentStatement[]>} */
  const open = new Map();
  for (const statement of sent) {
    const { connection, text } = statement;
    if (text === 'begin') {
      const begun = /** @type {SentStatement[]} */ ([]);
      transactions.push(begun);
      open.set(connection, begun);
    } else if (text === 'commit' || text === 'rollback') {
      open.delete(connection);
    } else if (WRITES.test(text)) {
      const begun = open.get(connection);
      if (begun) begun.push(statement);
      else transactions.push([statement]);
    }
  }
  return transactions.filter((statements) => statements.length > 0);
}

/**
 * Leaves out what the service wrote meanwhile for other reasons. A transaction is one of the message if it has a name of
 * the message, or of another transaction that is.
 * @param {SentStatement[][]} transactions
 * @param {(statement: SentStatement) => string[]} own
 * @param {string} messageId
 */
function ofMessage(transactions, own, messageId) {
  const known = new Set([messageId]);
  for (let before = 0; before < known.size;) {
    before = known.size;
    for (const statements of transactions) {
      const ids = statements.flatMap(own).filter((name) => !TIME.test(name));
      if (ids.some((id) => known.has(id))) for (const id of ids) known.add(id);
    }
  }
  return transactions.filter((statements) => statements.flatMap(own).some((name) => known.has(name)));
}

/**
 * @param {SentValue} value
 * @param {Map<string, number>} numbers
 * @returns {RecordedValue}
 */
function recorded(value, numbers) {
  const isBinary = Buffer.isBuffer(value);
  const text = textOf(value);
  /** @type {(string | number)[]} */
  const pieces = [];
  let end = 0;
  for (const { 0: name, index } of text.matchAll(NAME)) {
    const number = numbers.get(name);
    if (number === undefined) continue;
    pieces.push(text.slice(end, index), number);
    end = index + name.length;
  }
  if (!isBinary && pieces.length === 0) return { is: value };
  return { pieces: [...pieces, text.slice(end)], isBinary };
}
