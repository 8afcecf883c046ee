import { isIP } from 'node:net';
import { z } from 'zod';
import { parseEndpoint } from '../../kernel/endpoint.js';
import { isQueueName, type QueueLimits, type QueueName, QUEUES } from '../../kernel/queues.js';
import { toRedisAddress } from './redis-address.js';

/** A limit whose value 0 means that there is none. */
export const atMost = (fallback: number, what: string) =>
  z.coerce.number().int().min(0).default(fallback).describe(`${what}; 0 means no limit.`);

/** Values that occur in examples, in documentation and in first attempts. */
const SAMPLE = /change.?me|example|secret|password|sample|default|^(.)\1+$/i;

/** A secret that has to be long and must not be copied from an example. */
export const secret = (what: string) =>
  z
    .string()
    .min(32, 'must be at least 32 characters long; `openssl rand -base64 32` makes a good one')
    .refine((value) => !SAMPLE.test(value), 'looks like a sample value; `openssl rand -base64 32` makes a good one')
    .describe(what);

/** A switch that is off unless it is 1. */
export const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1');

type Refuse = (item: string) => string | undefined;

/** Texts separated by commas. `refuse` returns what is wrong with one of them, if anything. */
const list = (refuse: Refuse) =>
  z.string().transform((text, context) => {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
    for (const item of items) {
      const reason = refuse(item);
      if (reason) context.addIssue(`has "${item}", ${reason}`);
    }
    return items;
  });

export const networks = list((item) =>
  isNetwork(item) ? undefined : 'which is neither an address (10.0.0.1) nor a network (10.0.0.0/8)',
);

export const openings = list((item) =>
  isNetwork(item) || parseEndpoint(item)
    ? undefined
    : 'which is neither a network (10.0.0.0/8), nor an address (10.0.0.1), nor one with a port (127.0.0.1:3001)',
);

export const origins = list((item) =>
  URL.canParse(item) && new URL(item).origin === item
    ? undefined
    : 'which is not an origin: a scheme, host and port without a path, such as https://app.example.com',
);

/** Headers as OpenTelemetry writes them: `name=value`, separated by commas, with percent-encoded values. */
export const headerList = z.string().transform((text, context) => {
  const headers: Record<string, string> = {};
  for (const item of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/s.exec(item) ?? [];
    if (name === undefined || value === undefined) context.addIssue('has a part that is not `name=value`');
    else headers[name] = decoded(value.trim());
  }
  return headers;
});

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export const redisUrl = z.string().superRefine((url, context) => {
  try {
    toRedisAddress(url);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

/** Modules say by which schemes they store contents, so those are known only after the settings are read. */
export const storageUrl = z
  .url({ error: 'must be an address such as file:/var/lib/slipway or s3://bucket/folder' })
  .transform((url) => new URL(url));

/** The address at which models are called. Placeholders in braces stand for fields of a connection. */
export const modelAddress = z
  .string()
  .refine(
    (text) => /^https?:$/.test(URL.parse(text.replace(/\{\w+\}/g, 'x'))?.protocol ?? ''),
    'must be an http:// or https:// address',
  )
  .transform((text) => text.replace(/\/+$/, ''));

const MOST_JOBS = 10_000;

/** Names of queues, each perhaps with a colon and the number of jobs that may run at a time. */
export const queueLimits = list((item) => {
  const [name = '', limit, ...rest] = item.split(':');
  if (!isQueueName(name)) return `which is not a queue. The queues are ${QUEUES.join(', ')}`;
  const isLimit = limit === undefined || (/^\d{1,5}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MOST_JOBS);
  return isLimit && rest.length === 0 ? undefined : `whose number of jobs has to be from 1 to ${MOST_JOBS}`;
})
  .transform((items) => items.map((item) => item.split(':') as [QueueName, string?]))
  .refine((items) => items.length > 0, `must name at least one queue of ${QUEUES.join(', ')}`)
  .refine((items) => new Set(items.map(([name]) => name)).size === items.length, 'must name each queue once')
  .transform((items): QueueLimits => new Map(items.map(([name, limit]) => [name, Number(limit ?? Infinity)])));

const MAX_DELAYS = 50;
const MAX_DELAY_SECONDS = 7 * 24 * 3_600;

/** Seconds, separated by commas. */
export const delays = z
  .string()
  .refine(
    (text) => /^\s*\d{1,7}(\s*,\s*\d{1,7})*\s*$/.test(text),
    'must be seconds separated by commas, such as 0,5,300,1800',
  )
  .transform((text) => text.split(',').map(Number))
  .refine(
    (seconds) => seconds.length <= MAX_DELAYS && seconds.every((each) => each <= MAX_DELAY_SECONDS),
    `must have at most ${MAX_DELAYS} delays of at most ${MAX_DELAY_SECONDS} seconds`,
  );

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
