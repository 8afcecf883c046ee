import { z } from 'zod';
import { networks, origins, redisUrl } from './setting-types.js';

const perMinute = (fallback: number, what: string) =>
  z.coerce.number().int().min(0).default(fallback).describe(`${what}; 0 is no limit.`);

/** Values that stand in examples, in documentation and in people's first attempts. */
const SAMPLE = /change.?me|example|secret|password|sample|default|^(.)\1+$/i;

const secret = (what: string) =>
  z
    .string()
    .min(32, 'must be at least 32 characters long; `openssl rand -base64 32` makes a good one')
    .refine((value) => !SAMPLE.test(value), 'looks like a sample value; `openssl rand -base64 32` makes a good one')
    .describe(what);

const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1');

/** Every setting there is, named as in the environment. `docs/settings.md` is made from this. */
export const settingsSchema = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .describe('PostgreSQL 17 or later. `npm start` starts one of its own when this is not set.'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(500).default(20).describe('Database connections of one process.'),
  REDIS_URL: redisUrl.describe(
    'Redis 6.2 or later: `redis://host:port`, or `redis+sentinel://host:port,host:port/master-name`. `npm start` starts one of its own when this is not set.',
  ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'takes 1 to 32 letters, digits, _ and -')
    .default('slipway')
    .describe('What all keys in Redis begin with, where several installations share one.'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder for what this process keeps on disk.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on. The container image sets 0.0.0.0.'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port to listen on; 0 takes a free one.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Address at which clients reach this service. Defaults to the address listened on.'),
  TRUST_PROXY: networks
    .default([])
    .describe('Networks of reverse proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` is believed.'),
  CORS_ORIGINS: origins
    .default([])
    .describe('Origins whose pages may call the API, such as `https://app.example.com`, separated by commas.'),
  SLIPWAY_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('`api` answers requests and runs no jobs; `worker` runs jobs and answers only for its health.'),
  WORKER_SLOTS: z.coerce.number().int().min(1).max(1000).default(16).describe('Jobs a worker runs at the same time.'),
  SLIPWAY_PEPPER: secret('Key for the digests of API keys. Changing it makes every API key invalid.'),
  SLIPWAY_ADMIN_KEY: secret('A key for `/api/admin/v1`. Without it only named administration keys work.').optional(),
  SLIPWAY_DEMO: flag.describe('1 makes the demo project at the first start.'),
  API_KEYS_PER_SCOPE: z.coerce.number().int().min(1).max(10_000).default(20).describe('API keys a scope may have.'),
  RATE_LIMIT_DEFAULT: perMinute(1200, 'Requests a minute for one key'),
  RATE_LIMIT_FAILED_AUTH: perMinute(120, 'Refused credentials a minute from one address'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least important level that is logged.'),
});

const Shape = class {} as new () => Readonly<z.output<typeof settingsSchema>>;

/** The checked settings, frozen. Injected by this class; nothing else reads the environment. */
export class Settings extends Shape {}

export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`These settings need a change:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = settingsSchema.safeParse(given);
  if (!result.success) throw new SettingsError(result.error.issues.map((issue) => faultLine(issue, given)));
  return Object.freeze(Object.assign(new Settings(), result.data));
}

function faultLine(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const name = String(issue.path[0]);
  return name in given
    ? `${name} ${issue.message}`
    : `${name} is missing: ${settingsSchema.shape[name as keyof typeof settingsSchema.shape].description}`;
}
