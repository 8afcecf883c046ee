import { z } from 'zod';
import { masterKeys } from './master-keys.js';
import { delays, modelAddress, networks, openings, origins, redisUrl, storageUrl } from './setting-types.js';

const atMost = (fallback: number, what: string) =>
  z.coerce.number().int().min(0).default(fallback).describe(`${what}; 0 is no limit.`);

/** Values that occur in examples, in documentation and in first attempts. */
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

/** All settings, named as in the environment. `docs/settings.md` is generated from this. */
export const settingsSchema = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .describe('PostgreSQL 17 or later. `npm start` starts one of its own when this is not set.'),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe(
      'Database connections of one process. It has one more for notifications of revoked keys, and up to two more for jobs and measures.',
    ),
  REQUEST_SLOTS: z.coerce
    .number()
    .int()
    .min(4)
    .max(10_000)
    .default(64)
    .describe(
      'Requests that one process works on at the same time, at most half of them of one project. The others wait for up to ten seconds.',
    ),
  REDIS_URL: redisUrl.describe(
    'Redis 6.2 or later: `redis://host:port`, or `redis+sentinel://host:port,host:port/master-name`. `npm start` starts one of its own when this is not set.',
  ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'takes 1 to 32 letters, digits, _ and -')
    .default('slipway')
    .describe('What all keys in Redis begin with, where several installations share one.'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder for what this process keeps on disk.'),
  STORAGE_URL: storageUrl
    .optional()
    .describe(
      'Where files are kept: `file:/folder`, which all processes have to share, or `s3://bucket/folder?region=…`, with `&endpoint=https://…` for a service that is not Amazon’s. Defaults to `files` in DATA_DIR.',
    ),
  STORAGE_ACCESS_KEY: z
    .string()
    .optional()
    .describe('Id of the key for S3. Without it and STORAGE_SECRET_KEY the machine’s own credentials are taken.'),
  STORAGE_SECRET_KEY: z.string().optional().describe('The secret of STORAGE_ACCESS_KEY.'),
  FILE_LINK_TTL: z.coerce
    .number()
    .int()
    .min(60)
    .max(604_800)
    .default(3_600)
    .describe('Seconds for which a link to a file is good.'),
  UPLOAD_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(24)
    .describe('Hours in which an upload in chunks has to be completed.'),
  UPLOAD_MAX_CHUNKS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('Chunks that a file may be sent in.'),
  UPLOAD_MAX_GIB: z.coerce
    .number()
    .positive()
    .max(100_000)
    .default(50)
    .describe('GiB that a file sent in chunks may have.'),
  PROJECT_STORAGE_GIB: z.coerce
    .number()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('GiB that the files of one project may take; 0 is no limit.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on. The container image sets 0.0.0.0.'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port to listen on; 0 takes a free one.'),
  STOP_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(2)
    .describe(
      'How long a process that is told to stop goes on answering, not ready any more, so that balancers notice.',
    ),
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
  OUTBOUND_ALLOW_CIDRS: openings
    .default([])
    .describe(
      'Private networks, and addresses with a port, that callbacks, connections and tools may call all the same, such as `10.1.0.0/16,127.0.0.1:3001`. Everyone who may save an address reaches what is there. `npm start` with its own database opens the port of the demo’s receiver, where HOST is this machine’s own.',
    ),
  VENDOR1_BASE_URL: modelAddress
    .prefault('https://api.openai.com/v1')
    .describe(
      'Where connections of `Vendor1` call OpenAI chat completions; without a path, `/v1` is added. Calls obey OUTBOUND_ALLOW_CIDRS.',
    ),
  CLOUDVENDOR1_BASE_URL: modelAddress
    .prefault('https://{your_resource_name}.openai.azure.com/openai')
    .describe(
      'Where connections of `CloudVendor1` call Azure-style deployments; without a path, `/openai` is added. `{your_resource_name}` becomes that field of the connection.',
    ),
  VENDOR2_BASE_URL: modelAddress
    .prefault('https://api.anthropic.com/v1')
    .describe('Where connections of `Vendor2` call Anthropic messages; without a path, `/v1` is added.'),
  MODEL_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(300)
    .describe('How long a call of a model may take, to the last byte of its answer.'),
  MODEL_HOST: z
    .enum(['local', 'none'])
    .default('local')
    .describe(
      '`local`: a process that runs jobs also serves deployed models, in child processes; `none`: it serves none.',
    ),
  MODEL_HOST_ADDRESS: z
    .union([z.ipv4(), z.ipv6(), z.literal('auto')], 'must be an address of this machine, or `auto`')
    .default('127.0.0.1')
    .describe(
      'Address at which models served here listen, and at which all processes of the service reach them. `auto` is the first of this machine’s own, for containers. What is said there is not encrypted.',
    ),
  MODEL_HOST_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('Replicas of models that one process serves at the same time; each holds its model in memory.'),
  MODEL_THREADS: z.coerce
    .number()
    .int()
    .min(0)
    .max(512)
    .default(0)
    .describe('Threads with which a replica computes; 0 is half of the processors.'),
  MODEL_CONTEXT_TOKENS: z.coerce
    .number()
    .int()
    .min(256)
    .max(1_048_576)
    .default(4096)
    .describe(
      'Tokens that a call of a deployed model has room for, answer included, where the model has seen as many.',
    ),
  WEBHOOK_SCHEDULE: delays
    .prefault('0,5,30,300,1800,7200,18000,36000,50400,72000,86400')
    .describe(
      'Seconds before each attempt to deliver a callback, counted from the end of the one before; after the last it has failed. Up to a tenth more or less, by chance.',
    ),
  SESSION_IDLE_MINUTES: z.coerce
    .number()
    .positive()
    .max(525_600)
    .default(30)
    .describe('Minutes without a message after which a session ends.'),
  MODEL_MOCK: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the built-in mock answers as a model. Without it, an agent that names no model fails its turns, and no made-up answer reaches a user.',
    ),
  CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether processes that answer requests serve the console at `/console`.'),
  SLIPWAY_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('`api` answers requests and runs no jobs; `worker` runs jobs and answers only for its health.'),
  WORKER_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(16)
    .describe('Jobs of one project that a worker runs at the same time; it keeps as many slots again for others.'),
  WORKER_WAITING: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(256)
    .describe(
      'Jobs that may wait for a network in a worker besides, without a slot; at most half of them one project’s.',
    ),
  JOBS: z
    .enum(['run', 'held'])
    .default('run')
    .describe(
      'With `held`, this process runs no jobs, so that a copy of an installation sends no callback and calls no model by itself.',
    ),
  WORKER_LOOK_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe(
      'Seconds between two looks of an idle worker for jobs. A job whose bell was lost waits this long at most.',
    ),
  SLIPWAY_PEPPER: secret('Key for the digests of API keys. Changing it makes every API key invalid.'),
  SLIPWAY_MASTER_KEYS: masterKeys.describe(
    'Numbered keys that wrap the keys of stored secrets: `1:<base64 of 32 bytes>,2:<…>`. The highest number seals, all of them open; one that ends in `:standby` only opens. Losing one loses what it wraps.',
  ),
  SLIPWAY_LINK_SECRETS: masterKeys.describe(
    'Numbered keys that sign links to files, written as SLIPWAY_MASTER_KEYS is. The highest number signs; links of all of them are good.',
  ),
  SLIPWAY_ADMIN_KEY: secret('A key for `/api/admin/v1`. Without it only named administration keys work.').optional(),
  METRICS_TOKEN: secret(
    'Opens `/metrics` to callers that send it as `Authorization: Bearer …`. Without it only this machine reads them.',
  ).optional(),
  METRICS_COUNT_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(10)
    .describe(
      'Seconds for which all processes report a count of the whole installation after one of them has made it. 0 counts at each scrape.',
    ),
  SLIPWAY_DEMO: flag.describe('1 makes the demo project at the first start.'),
  API_KEYS_PER_SCOPE: z.coerce.number().int().min(1).max(10_000).default(20).describe('API keys a scope may have.'),
  RATE_LIMIT_DEFAULT: atMost(1200, 'Requests a minute for one key'),
  RATE_LIMIT_LEDGER: atMost(600, 'Requests a minute to the LLM ledger for one key'),
  RATE_LIMIT_MESSAGES: atMost(600, 'Messages a minute to the webhook channel for one key'),
  RATE_LIMIT_FAILED_AUTH: atMost(120, 'Refused credentials a minute from one address'),
  STREAMS_PER_KEY: atMost(64, 'Event streams of one key that one process sends at the same time'),
  STREAMS_PER_PROJECT: atMost(256, 'Event streams of one project that one process sends at the same time'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least important level that is logged.'),
});

const Shape = class {} as new () => Readonly<z.output<typeof settingsSchema>>;

/** The checked settings, frozen. They are injected by this class, and no other code reads the environment. */
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
