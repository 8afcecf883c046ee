import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { projectFile } from '../config/project-file.js';
import { httpErrors } from '../route/http.errors.js';
import { PrecompressedContent } from '../transfer/precompressed-content.js';

export const CONSOLE_PATH = '/console';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * The policy allows the console's own files and requests to this service, and no inline script. The components add a few
 * style elements, which carry the nonce.
 */
const policyWith = (nonce: string) =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const METHODS = 'GET, HEAD';

/** The name of a file that the build has made. It contains a digest of its content, so the content never changes. */
const ASSET = /^\/assets\/([\w-]+\.(js|css|svg))$/;

/**
 * Serves the files of the console, which `npm run build` makes. Each is read on its first request, so that the start of
 * the service waits for none of them.
 */
export function serveConsole(app: NestExpressApplication): void {
  app.use(CONSOLE_PATH, (request: Request, response: Response, next: NextFunction) => {
    const { path, method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      next(httpErrors.methodNotAllowed({ method, allowed: METHODS }, { headers: { allow: METHODS } }));
      return;
    }
    const isAsset = path.startsWith('/assets/');
    const answering = isAsset ? files.sendAsset(path, request, response) : files.sendPage(response);
    answering.then((isSent) => {
      if (!isSent) next(httpErrors.routeNotFound({ method }));
    }, next);
  });
}

class ConsoleFiles {
  private readonly folder = projectFile('dist/console/');
  private readonly assets = new Map<string, Promise<PrecompressedContent>>();

  /** Sends an asset, and returns false if there is none at the path. */
  async sendAsset(path: string, request: Request, response: Response): Promise<boolean> {
    const [, name, extension] = ASSET.exec(path) ?? [];
    if (name === undefined || !existsSync(this.file(`assets/${name}`))) return false;
    let asset = this.assets.get(name);
    if (!asset) {
      asset = PrecompressedContent.of(TYPES[extension!]!, this.read(`assets/${name}`), { isImmutable: true });
      this.assets.set(name, asset);
    }
    (await asset).sendTo(request, response);
    return true;
  }

  /**
   * Every other address is the same page, which shows what the address names. It is read each time, because a new build
   * replaces the assets that it names.
   */
  async sendPage(response: Response): Promise<boolean> {
    if (!existsSync(this.file('index.html'))) return false;
    const nonce = randomBytes(16).toString('base64');
    response.set({ 'content-security-policy': policyWith(nonce), 'cache-control': 'no-store' }).type('html');
    response.send(this.read('index.html').replaceAll('{nonce}', nonce));
    return true;
  }

  private file(name: string): URL {
    return new URL(name, this.folder);
  }

  private read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }
}

/** All services of a process share the compressed assets, because compressing them takes a tenth of a second. */
const files = new ConsoleFiles();
