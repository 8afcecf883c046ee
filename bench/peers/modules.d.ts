// The parts of the other software that the benchmarks use. It is installed when a benchmark needs it, so its own types
// are not there when the sources are checked.

declare module 'graphile-worker' {
  import type { Pool, PoolClient } from 'pg';

  export interface JobHelpers {
    withPgClient: <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;
  }
  export interface Runner {
    addJob(task: string, payload: object): Promise<unknown>;
    stop(): Promise<void>;
  }
  export function run(options: {
    pgPool: Pool;
    concurrency: number;
    noHandleSignals: boolean;
    taskList: Record<string, (payload: unknown, helpers: JobHelpers) => Promise<void>>;
    preset: { worker: { localQueue: { size: number }; completeJobBatchDelay: number } };
  }): Promise<Runner>;
}

declare module 'pg-boss' {
  export class PgBoss {
    constructor(options: { connectionString: string; max: number; useListenNotify: boolean });
    on(event: 'error', listener: (error: Error) => void): void;
    start(): Promise<void>;
    createQueue(name: string, options: { notify: boolean }): Promise<void>;
    send(name: string, data: object): Promise<string | null>;
    work<T>(
      name: string,
      options: {
        batchSize: number;
        localConcurrency: number;
        burstWhenBatchFull: boolean;
        pollingIntervalSeconds: number;
      },
      handler: (jobs: { data: T }[]) => Promise<void>,
    ): Promise<string>;
  }
}

declare module 'postgraphile' {
  import type { Server } from 'node:http';
  import type { GraphileConfig } from 'graphile-config';

  export interface Served {
    addTo(server: Server): Promise<void>;
  }
  export function postgraphile(preset: GraphileConfig): { createServ(kind: unknown): Served };
}
declare module 'postgraphile/presets/amber' {
  import type { GraphileConfig } from 'graphile-config';

  export const PostGraphileAmberPreset: GraphileConfig;
}
declare module 'postgraphile/adaptors/pg' {
  export function makePgService(options: { connectionString: string; schemas: string[]; poolConfig: object }): object;
}
declare module 'postgraphile/grafserv/node' {
  export const grafserv: unknown;
}
declare module 'graphile-config' {
  export interface GraphileConfig {
    extends?: GraphileConfig[];
    pgServices?: object[];
    grafserv?: object;
    grafast?: object;
  }
}

declare module '@tus/server' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export class Server {
    constructor(options: { path: string; datastore: unknown });
    handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  }
}
declare module '@tus/file-store' {
  export class FileStore {
    constructor(options: { directory: string });
  }
}
declare module '@portkey-ai/gateway/build/start-server.js';
