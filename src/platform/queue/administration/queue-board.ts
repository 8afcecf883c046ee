import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { once } from '../../../kernel/once.js';
import { ConsoleCaller } from '../../auth/console-caller.js';
import { authErrors } from '../../auth/auth.errors.js';
import { mustHaveRight } from '../../auth/permission.guard.js';
import { currentRequest } from '../../context/request-context.js';
import { FailedAuthentications } from '../../rate-limit/failed-authentications.js';
import { httpErrors } from '../../route/http.errors.js';
import { BellQueues } from '../bell-queues.js';
import { jobErrors } from '../jobs.errors.js';

export const QUEUE_BOARD_PATH = '/queues';
const METHODS = 'GET, HEAD';

/** The page has styles in its elements, and no inline script. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of the board has a link for a font, which its policy refuses. */
const LINKS_TO_OTHER_HOSTS = /<link [^>]*href="https?:[^>]*>/g;

/**
 * Shows the queues of Bull to administrators who are signed in to the console. Nothing can be changed there, because the
 * queues only wake workers: the jobs themselves are in the database, where the administration API retries and cancels
 * them. The parts of the board are loaded for its first request, since few processes ever show it.
 */
@Injectable()
export class QueueBoard {
  private readonly board = once(() => this.load());

  constructor(
    private readonly queues: BellQueues,
    private readonly console: ConsoleCaller,
    private readonly failures: FailedAuthentications,
  ) {}

  serveOn(app: NestExpressApplication): void {
    app.use(QUEUE_BOARD_PATH, (request: Request, response: Response, next: NextFunction) => {
      this.answer(request, response, next).catch(next);
    });
  }

  private async answer(request: Request, response: Response, next: NextFunction): Promise<void> {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      throw httpErrors.methodNotAllowed({ method, allowed: METHODS }, { headers: { allow: METHODS } });
    }
    await this.admit(request, response);
    await this.mustReachRedis();
    response.set('content-security-policy', POLICY);
    (await this.board())(request, response, next);
  }

  /** A page that a browser opens sends the cookie alone. No other site can read the answer. */
  private async admit({ headers, ip = '' }: Request, response: Response): Promise<void> {
    const found = await this.console.ofCookies(headers.cookie);
    if (!found) {
      const refusal = authErrors.consoleSessionMissing();
      await this.failures.countAndRefuse(refusal, ip, response);
      throw refusal;
    }
    currentRequest()!.actor = found.session.actor;
    mustHaveRight(found.session.actor, 'read');
  }

  private async mustReachRedis(): Promise<void> {
    const [queue] = this.queues.ringing.values();
    await queue!.client.ping().catch(() => {
      throw jobErrors.queuesUnavailable();
    });
  }

  private async load(): Promise<RequestHandler> {
    const [{ createBullBoard }, { BullAdapter }, { ExpressAdapter }] = await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullAdapter'),
      import('@bull-board/express'),
    ]);
    const serverAdapter = new ExpressAdapter().setBasePath(QUEUE_BOARD_PATH);
    const queues = [...this.queues.ringing.values()].map((queue) => new BullAdapter(queue, { readOnlyMode: true }));
    const board = (serverAdapter.getRouter() as Express).disable('x-powered-by');
    board.use(withoutOtherHosts);
    createBullBoard({ queues, serverAdapter, options: { uiConfig: { boardTitle: 'Slipway' } } });
    // The board would answer with the text of the error.
    serverAdapter.setErrorHandler((cause: Error & { status?: number }) => {
      const isOfRequest = cause.status !== undefined && cause.status < 500;
      throw isOfRequest ? httpErrors.routeNotFound({ method: 'GET' }) : jobErrors.queuesUnavailable({ cause });
    });
    return board;
  }
}

function withoutOtherHosts(_request: Request, response: Response, next: NextFunction): void {
  const render = response.render.bind(response);
  response.render = (view: string, values?: object) =>
    render(view, values, (error: Error | null, page: string) =>
      error ? next(error) : response.send(page.replace(LINKS_TO_OTHER_HOSTS, '')),
    );
  next();
}
