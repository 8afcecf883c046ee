import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AskedToken {
  authorization: string | undefined;
  body: Record<string, string>;
}

/** An authorization server and the server that takes its tokens. */
export class TokenServers {
  readonly asked: AskedToken[] = [];
  readonly tokensSent: (string | undefined)[] = [];
  discoveries = 0;
  /** The statuses of the next discoveries. After them, they succeed. */
  readonly failingDiscoveries: number[] = [];
  takesBasic = true;
  /** The headers with which the server refuses HTTP Basic. */
  challenge: Record<string, string> = {};
  answer: { status: number; body: object; headers?: Record<string, string> } | undefined;
  /** Whether the bodies of refusals and faults do not end, so that their connections stay open until the client closes them. */
  isEndless = false;
  /** Whether requests for tokens get no answer. */
  isSilent = false;
  readonly unended = new Set<ServerResponse>();
  lastBody = '';
  readonly revoked = new Set<string>();
  private readonly server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const json = (status: number, body: object, headers: Record<string, string> = {}) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        if (this.isEndless && (status === 401 || status >= 500)) {
          this.unended.add(response);
          response.on('close', () => this.unended.delete(response)).write('{');
        } else response.end(JSON.stringify(body));
      };
      const { authorization } = request.headers;
      if (request.url === '/discovery') {
        this.discoveries += 1;
        return json(this.failingDiscoveries.shift() ?? 200, {
          issuer: this.issuer,
          token_endpoint: `${this.url}/token`,
          id_token_signing_alg_values_supported: ['ES256'],
        });
      }
      if (request.url !== '/token') {
        this.tokensSent.push(authorization);
        this.lastBody = text;
        const isGood = authorization?.startsWith('Bearer ') && !this.revoked.has(authorization.slice(7));
        const headers = { 'set-cookie': 'session-of-a-login' };
        return isGood ? json(200, { place: 'Oslo', received: authorization }, headers) : json(401, {});
      }
      const body = Object.fromEntries(new URLSearchParams(text));
      this.asked.push({ authorization, body });
      if (this.isSilent) return;
      if (this.answer) return json(this.answer.status, this.answer.body, this.answer.headers);
      if (!this.takesBasic && !body.client_secret) return json(401, { error: 'invalid_client' }, this.challenge);
      return json(200, { access_token: this.newest(), token_type: 'Bearer', expires_in: 600 });
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The issuer has a path, as those with several tenants have. */
  get issuer(): string {
    return `${this.url}/tenants/one`;
  }

  newest(): string {
    return `canary-token-${this.asked.length}`;
  }

  revokeAll(): void {
    for (let at = 1; at <= this.asked.length; at += 1) this.revoked.add(`canary-token-${at}`);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Returns an ID token for a client. Its signature is not checked, because it comes from the server itself. */
export function idToken(issuer: string, clientId: string): string {
  const now = Math.round(Date.now() / 1_000);
  const claims = { iss: issuer, aud: clientId, sub: clientId, iat: now, exp: now + 600 };
  const parts = [JSON.stringify({ alg: 'ES256' }), JSON.stringify(claims), 'signature'];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}
