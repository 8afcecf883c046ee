import { format } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentRequest } from '../context/request-context.js';

/** The process's log: JSON lines on standard output, each with the id of the request it belongs to. */
export class Log extends (class {} as new () => Logger) {}

/** The same log for the one line that each request leaves. Its members are known, so nothing has to be looked through. */
export class RequestLog extends (class {} as new () => Logger) {}

/** Where a secret could stand in what is logged; the second line of defence, since none is handed to the log. */
const SECRET_NAMES = ['apikey', 'apiKey', 'secret', 'password', 'authorization', 'headers', 'body'];

const FORM: LoggerOptions = {
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
};

export function createLog(level: string, output: DestinationStream): Log {
  return pino(
    {
      ...FORM,
      level,
      mixin: () => {
        const request = currentRequest();
        return request ? { requestId: request.requestId, correlationId: request.correlationId } : {};
      },
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    output,
  );
}

export function createRequestLog(level: string, output: DestinationStream): RequestLog {
  return pino({ ...FORM, level }, output);
}

/** What libraries write to the console belongs in the log too, or the log is no JSON. */
export function takeOverConsole(log: Log): void {
  console.error = (...parts: unknown[]) => log.warn(format(...parts));
  console.warn = console.error;
}

/** Nest's own messages in the same log. What it says while starting is for debugging only. */
export function toNestLogger(log: Log): LoggerService {
  return {
    log: (message: unknown, context?: unknown) => log.debug({ context }, String(message)),
    debug: (message: unknown, context?: unknown) => log.trace({ context }, String(message)),
    verbose: (message: unknown, context?: unknown) => log.trace({ context }, String(message)),
    warn: (message: unknown, context?: unknown) => log.warn({ context }, String(message)),
    error: (message: unknown, stack?: unknown, context?: unknown) => log.error({ context, stack }, String(message)),
    fatal: (message: unknown, context?: unknown) => log.fatal({ context }, String(message)),
  };
}
