import { format } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentRequest } from '../context/request-context.js';

/** The process's log: JSON lines on standard output, each with the id of the request it belongs to. */
export class Log extends (class {} as new () => Logger) {}

/**
 * The log for the one line that each request leaves. Its members are known, so they need not be searched for secrets.
 */
export class RequestLog extends (class {} as new () => Logger) {}

/** Members that could contain a secret. This is the second line of defence, because no secret is handed to the log. */
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

/** Redirects what libraries write to the console, because the log has to be JSON throughout. */
export function takeOverConsole(log: Log): void {
  console.error = (...parts: unknown[]) => log.warn(format(...parts));
  console.warn = console.error;
}

/** Writes Nest's own messages to the same log. Those of the start are for debugging only. */
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
