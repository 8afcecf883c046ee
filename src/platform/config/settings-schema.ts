import { z } from 'zod';
import { QUEUES } from '../../kernel/queues.js';
import { demoSettings } from './demo-settings.js';
import { kubernetesSettings } from './kubernetes-settings.js';
import { masterKeys } from './master-keys.js';
import { oidcSettings } from './oidc-settings.js';
import { replicaSettings } from './replica-settings.js';
import {
  atMost,
  delays,
  modelAddress,
  networks,
  openings,
  origins,
  queueLimits,
  redisUrl,
  secret,
  storageUrl,
} from './setting-types.js';
import { telemetrySettings } from './telemetry-settings.js';

/** All settings, named as in the environment. `docs/settings.md` is generated from this. */
export const settingsSchema = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .describe(
      'Address of a PostgreSQL database, version 17 or later. If it is not set, `npm start` starts a database of its own.',
    ),
  DATABASE_DIRECT_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .describe(
      'Address of PostgreSQL itself, or of a pooler of sessions. It is needed only if `DATABASE_URL` leads to a pooler or to a database that Citus distributes. Migrations and the connection that listens for revoked keys use it.',
    ),
  ...replicaSettings,
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe(
      'Database connections of one process. A process uses one more for notifications of revoked keys, and up to two more for jobs and metrics.',
    ),
  REQUEST_SLOTS: z.coerce
    .number()
    .int()
    .min(4)
    .max(10_000)
    .default(64)
    .describe(
      'Requests that one process works on at the same time, and of which at most half belong to one project. Other requests wait for up to ten seconds.',
    ),
  REDIS_URL: redisUrl.describe(
    'Address of Redis 6.2 or later: `redis://host:port`, `redis-sentinel://host:port,host:port/master-name`, or `redis-cluster://host:port,host:port`. With `rediss://`, `rediss-sentinel://` and `rediss-cluster://`, the connections use TLS. If it is not set, `npm start` starts a Redis of its own.',
  ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'must have 1 to 32 letters, digits, _ and -')
    .default('slipway')
    .describe('Prefix of all keys in Redis. It separates several installations that share one Redis.'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder for the files that this process stores on disk.'),
  STORAGE_URL: storageUrl
    .optional()
    .describe(
      'Place where files are stored: `file:/folder`, which all processes have to share, or `s3://bucket/folder?region=…`, with `&endpoint=https://…` for a service that is not Amazon’s. Plugins add other schemes. The default is `files` in DATA_DIR.',
    ),
  STORAGE_ACCESS_KEY: z
    .string()
    .optional()
    .describe(
      'Id of the key for S3. If neither it nor STORAGE_SECRET_KEY is set, the machine’s own credentials are used.',
    ),
  STORAGE_SECRET_KEY: z.string().optional().describe('Secret of the key in STORAGE_ACCESS_KEY.'),
  FILE_LINK_TTL: z.coerce
    .number()
    .int()
    .min(60)
    .max(604_800)
    .default(3_600)
    .describe('Seconds for which a link to a file or to an export is valid.'),
  UPLOAD_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(24)
    .describe('Hours within which an upload in chunks has to be completed.'),
  UPLOAD_MAX_CHUNKS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('Maximum number of chunks of a file.'),
  UPLOAD_MAX_GIB: z.coerce
    .number()
    .positive()
    .max(100_000)
    .default(50)
    .describe('Maximum size in GiB of a file that is sent in chunks.'),
  PROJECT_STORAGE_GIB: z.coerce
    .number()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Maximum size in GiB of all files of a project; 0 means no limit.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on. The container image sets 0.0.0.0.'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port to listen on; 0 takes a free one.'),
  STOP_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(2)
    .describe(
      'Seconds for which a stopping process still answers requests, while it reports not to be ready, so that load balancers notice.',
    ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address at which clients reach this service. The default is the address on which it listens. `MODEL_HOST=kubernetes` needs it.',
    ),
  TRUST_PROXY: networks
    .default([])
    .describe('Networks of reverse proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` is trusted.'),
  CORS_ORIGINS: origins
    .default([])
    .describe('Origins, separated by commas, whose pages may call the API, such as `https://app.example.com`.'),
  OUTBOUND_ALLOW_CIDRS: openings
    .default([])
    .describe(
      'Private networks, and addresses with a port, that callbacks, connections and tools may call despite the guarded client, such as `10.1.0.0/16,127.0.0.1:3001`. Everyone who can save an address can then reach them. `npm start` with its own database allows the port of the demo’s receiver, and OLLAMA_BASE_URL and OPENAI_BASE_URL if they name an address, if HOST is a loopback address.',
    ),
  VENDOR1_BASE_URL: modelAddress
    .prefault('https://api.openai.com/v1')
    .describe(
      'Address at which connections of `Vendor1` call OpenAI chat completions. If it has no path, `/v1` is added. Calls obey OUTBOUND_ALLOW_CIDRS.',
    ),
  CLOUDVENDOR1_BASE_URL: modelAddress
    .prefault('https://{your_resource_name}.openai.azure.com/openai')
    .describe(
      'Address at which connections of `CloudVendor1` call Azure-style deployments. If it has no path, `/openai` is added. `{your_resource_name}` is replaced by that field of the connection.',
    ),
  VENDOR2_BASE_URL: modelAddress
    .prefault('https://api.anthropic.com/v1')
    .describe('Address at which connections of `Vendor2` call Anthropic messages. If it has no path, `/v1` is added.'),
  MODEL_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(300)
    .describe('Seconds that a call of a model may take, up to the last byte of its answer.'),
  MODEL_HOST: z
    .enum(['local', 'kubernetes', 'none'])
    .default('local')
    .describe(
      'Whether a process that runs jobs also serves deployed models. `local`: it serves them in child processes and on the hosts of plugins; `kubernetes`: in a cluster with KServe and on the hosts of plugins; `none`: it serves none.',
    )
    .meta({ needsByValue: { kubernetes: ['KUBERNETES_NAMESPACE', 'KUBERNETES_IMAGE', 'PUBLIC_URL'] } }),
  ...kubernetesSettings,
  MODEL_HOST_ADDRESS: z
    .union([z.ipv4(), z.ipv6(), z.literal('auto')], 'must be an address of this machine, or `auto`')
    .default('127.0.0.1')
    .describe(
      'Address on which local models listen, and at which all processes of the service reach them. `auto` is the first address of this machine, for containers. The connections are not encrypted.',
    ),
  MODEL_HOST_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('Replicas of models that one process serves at the same time. Each has its model in memory.'),
  MODEL_THREADS: z.coerce
    .number()
    .int()
    .min(0)
    .max(512)
    .default(0)
    .describe('Threads with which a replica computes. 0 means half of the processors.'),
  MODEL_CONTEXT_TOKENS: z.coerce
    .number()
    .int()
    .min(256)
    .max(1_048_576)
    .default(4096)
    .describe(
      'Tokens that a call of a deployed model may have, including its answer. A model that was trained for fewer allows fewer.',
    ),
  WEBHOOK_SCHEDULE: delays
    .prefault('0,5,30,300,1800,7200,18000,36000,50400,72000,86400')
    .describe(
      'Seconds before each attempt to deliver a callback, counted from the end of the attempt before. Each delay varies at random by up to a tenth. The delivery has failed after the last attempt.',
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
      'Whether the built-in mock answers as a model. If it does not, the turns of an agent without a model fail, and no invented answer reaches a user.',
    ),
  CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether processes that answer requests serve the console at `/console`.'),
  ...oidcSettings,
  SLIPWAY_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe(
      'Work of the process. `all`: requests and jobs; `api`: requests and no jobs; `worker`: jobs, and only requests for its health.',
    ),
  SLIPWAY_QUEUES: queueLimits
    .prefault(QUEUES.join(','))
    .describe(
      'All queues whose jobs the process runs, each perhaps with the number of jobs that may run at a time. `dock:2,upkeep` runs any job of `upkeep`, and up to two of `dock`, those that wait for the network included. Some process has to serve each queue, because its jobs wait otherwise. Processes of the role `api` run no jobs, whatever this says.',
    ),
  WORKER_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(16)
    .describe(
      'Jobs of one project that a worker runs at the same time. It reserves the same number of slots for other projects.',
    ),
  WORKER_WAITING: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(256)
    .describe(
      'Jobs that may also wait for the network in a worker, without a slot. At most half of them belong to one project.',
    ),
  JOBS: z
    .enum(['run', 'held'])
    .default('run')
    .describe(
      'Whether this process runs jobs. `held` keeps a copy of an installation from sending callbacks and calling models by itself.',
    ),
  WORKER_LOOK_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe(
      'Seconds after which an idle worker looks for jobs again. A job whose bell was lost waits this long at most.',
    ),
  SLIPWAY_CONFIG: z
    .string()
    .min(1)
    .optional()
    .describe('File that names the plugins of this installation. `npm start -- --config FILE` sets it.'),
  SLIPWAY_PEPPER: secret('Key for the digests of API keys. Changing it makes every API key invalid.'),
  SLIPWAY_MASTER_KEYS: masterKeys.describe(
    'Numbered keys that wrap the keys of stored secrets: `1:<base64 of 32 bytes>,2:<…>`. The key with the highest number seals, and all of them open. A key that ends in `:standby` only opens. If you lose a key, you lose what it wraps.',
  ),
  SLIPWAY_LINK_SECRETS: masterKeys.describe(
    'Numbered keys that sign links to files, in the format of SLIPWAY_MASTER_KEYS. The key with the highest number signs. Links that any of them signed are valid.',
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
  ...demoSettings,
  API_KEYS_PER_SCOPE: z.coerce.number().int().min(1).max(10_000).default(20).describe('API keys allowed per scope.'),
  RATE_LIMIT_DEFAULT: atMost(1200, 'Requests a minute for one key'),
  RATE_LIMIT_LEDGER: atMost(600, 'Requests a minute to the LLM ledger for one key'),
  RATE_LIMIT_MESSAGES: atMost(600, 'Messages a minute to the webhook channel for one key'),
  RATE_LIMIT_SIGN_IN: atMost(120, 'Requests a minute from one address to sign in to the console with OpenID Connect'),
  RATE_LIMIT_FAILED_AUTH: atMost(120, 'Refused credentials a minute from one address'),
  STREAMS_PER_KEY: atMost(64, 'Event streams of one key that one process sends at the same time'),
  STREAMS_PER_PROJECT: atMost(256, 'Event streams of one project that one process sends at the same time'),
  ...telemetrySettings,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest level of the messages that are logged.'),
});
