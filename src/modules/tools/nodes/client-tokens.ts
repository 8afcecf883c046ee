import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { isJsonObject, parseJson } from '../../../kernel/json.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { shortened } from '../../../kernel/shortened.js';
import { Outbound, type OutboundRequest } from '../../../platform/outbound/outbound.js';
import { OutboundFault } from '../../../platform/outbound/outbound.errors.js';
import type { AttemptTime } from './attempt-time.js';
import { isTransient, toHttpFailure } from './http-failures.js';
import { NodeFailure, type NodeContext } from '../node-kind.port.js';
import { discard } from './unread.js';

const MAX_TOKENS = 1_000;
const MOST_TO_ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 262_144;
const LONGEST_CODE = 100;
/** A token is obtained again after this time, even if the server says that it lives longer. */
const MAX_LIFETIME_S = 3_600;
const UNKNOWN_LIFETIME_S = 300;
/** The rest of its lifetime is for the request that sends it. */
const USED_PART = 0.9;

/** The errors of the library if an answer is not what OAuth demands. */
const ERRORS_OF_ANSWERS = [oauth.OperationProcessingError, oauth.UnsupportedOperationError];

/** A client of an authorization server, and what its tokens are for. Its texts are filled in already. */
export interface TokenClient {
  /** `client_id:client_secret`, or an access token. Access tokens have no colon. */
  credentials: string;
  tokenUrl?: string | undefined;
  openIdConnectUrl?: string | undefined;
  scope?: string | undefined;
}

/** The description of an authorization server, by itself or by a flow. */
interface TokenServer extends oauth.AuthorizationServer {
  token_endpoint: string;
}

/** One attempt of a node to obtain a token. */
interface Asking {
  context: NodeContext;
  time: AttemptTime;
}

interface Kept {
  token: string;
  until: number;
}

/**
 * Obtains access tokens with the client credentials of a flow. A process keeps them until they expire, and never stores
 * them.
 */
@Injectable()
export class ClientTokens {
  private readonly tokens = new RecentlyUsed<string, Kept>(MAX_TOKENS);

  constructor(private readonly outbound: Outbound) {}

  /** Returns a token that is kept, unless it is that one. The token and the secret are hidden in the record of the run. */
  async of(client: TokenClient, context: NodeContext, time: AttemptTime, refused?: string): Promise<string> {
    const { credentials } = client;
    const colon = credentials.indexOf(':');
    if (credentials === '') throw refusal('The flow has no credentials for the authorization server.');
    if (colon < 0) return credentials;
    const [id, secret] = [credentials.slice(0, colon), credentials.slice(colon + 1)];
    if (id === '' || secret === '')
      throw refusal('The credentials of the flow lack the id or the secret of the client.');
    context.hide(secret);
    const key = keyOf(client, context);
    const kept = this.tokens.get(key);
    const isUsable = kept && kept.token !== refused && kept.until > performance.now();
    const { token, until } = isUsable ? kept : await this.obtain(client, id, secret, { context, time });
    context.hide(token);
    this.tokens.set(key, { token, until });
    return token;
  }

  private async obtain(client: TokenClient, id: string, secret: string, asking: Asking): Promise<Kept> {
    const { tokenUrl, openIdConnectUrl, scope } = client;
    const server = tokenUrl === undefined ? await this.discover(openIdConnectUrl!, asking) : serverAt(tokenUrl);
    const ask = (how: oauth.ClientAuth) => this.ask(server, { id, how, scope }, asking);
    // Servers have to take HTTP Basic, but some take the secret in the body alone.
    const answer = await ask(oauth.ClientSecretBasic(secret)).catch((error: unknown) => {
      const isChallenge = error instanceof oauth.WWWAuthenticateChallengeError;
      const isRefused = error instanceof oauth.ResponseBodyError && error.error === 'invalid_client';
      if (!isChallenge && !isRefused) throw error;
      return ask(oauth.ClientSecretPost(secret));
    });
    const lifetime = Math.min(answer.expires_in ?? UNKNOWN_LIFETIME_S, MAX_LIFETIME_S);
    return { token: answer.access_token, until: performance.now() + lifetime * USED_PART * 1_000 };
  }

  private async ask(
    server: TokenServer,
    { id, how, scope }: { id: string; how: oauth.ClientAuth; scope: string | undefined },
    asking: Asking,
  ): Promise<oauth.TokenEndpointResponse> {
    const options = {
      [oauth.customFetch]: (url: string, init: OutboundRequest) => this.fetch(url, init, asking),
      // The guarded client decides which addresses are allowed, including those with http.
      [oauth.allowInsecureRequests]: addressOf(server.token_endpoint).protocol === 'http:',
    };
    const client = { client_id: id };
    const parameters = new URLSearchParams(scope ? { scope } : {});
    const response = await oauth.clientCredentialsGrantRequest(server, client, how, parameters, options);
    try {
      if (isTransient(response.status)) throw refusal(`It answered with the status ${response.status}.`, true);
      const readable = server.issuer === UNKNOWN_ISSUER ? await withoutIdToken(response) : response;
      const answer = await oauth.processClientCredentialsResponse(server, client, readable);
      if (answer.token_type !== 'bearer') throw refusal('Its answer has no bearer token.');
      return answer;
    } finally {
      // The library does not read the body of a challenge, nor of an answer that is no JSON.
      await discard(response);
    }
  }

  /** Asks the server for its description, as OpenID Connect Discovery says. It names the issuer of its tokens. */
  private async discover(address: string, asking: Asking): Promise<TokenServer> {
    const response = await this.fetch(addressOf(address).href, {}, asking);
    const { status } = response;
    const described = (parseJson(await response.text()) ?? {}) as Partial<TokenServer>;
    const { issuer, token_endpoint: endpoint } = described;
    if (status !== 200 || typeof endpoint !== 'string') {
      const reason = `Its openIdConnectUrl answered with the status ${status} and without a token endpoint.`;
      throw refusal(reason, isTransient(status));
    }
    if (typeof issuer !== 'string') throw refusal('Its openIdConnectUrl does not name the issuer.');
    return { ...described, issuer, token_endpoint: endpoint };
  }

  private fetch(url: string, init: OutboundRequest, { context, time }: Asking): Promise<Response> {
    const limits = { timeoutMs: Math.min(MOST_TO_ANSWER_MS, time.leftMs), maxBytes: MAX_ANSWER_BYTES };
    return this.outbound.fetch(url, { ...init, signal: context.signal }, limits);
  }
}

/** Without discovery, nothing says who the issuer of the tokens is. */
const UNKNOWN_ISSUER = 'unknown';

function serverAt(tokenUrl: string): TokenServer {
  return { issuer: UNKNOWN_ISSUER, token_endpoint: tokenUrl };
}

/** Leaves out the ID token of an answer, whose issuer cannot be compared. Only the access token is used. */
async function withoutIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const { status, headers } = response;
  const body = parseJson(text);
  const { id_token: _, ...rest } = isJsonObject(body) ? body : {};
  return new Response(isJsonObject(body) ? JSON.stringify(rest) : text, { status, headers });
}

/** Translates what went wrong while a token was obtained. Other errors, such as a signal's reason, stay as they are. */
export function tokenFailure(error: unknown, input: object): unknown {
  if (error instanceof OutboundFault) return toHttpFailure(error, input);
  if (error instanceof oauth.ResponseBodyError)
    return refusal(`It answered ${shortened(error.error, LONGEST_CODE)}.`, false, input);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return refusal('It refused the id and the secret of the client.', false, input);
  const isOther = ERRORS_OF_ANSWERS.some((kind) => error instanceof kind);
  return isOther ? refusal('Its answer has no bearer token.', false, input) : error;
}

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol))
    throw refusal('Its address does not begin with http:// or https://.');
  return address;
}

function refusal(reason: string, isTransient = false, input?: object): NodeFailure {
  const message = `The authorization server gave no access token. ${reason}`;
  return new NodeFailure('ACCESS_TOKEN_REFUSED', message, isTransient, input);
}

/** Names a client without keeping its secret. Projects share no tokens, because one could learn that another has one. */
function keyOf({ credentials, tokenUrl, openIdConnectUrl, scope }: TokenClient, { projectId }: NodeContext): string {
  const parts = [projectId, credentials, tokenUrl, openIdConnectUrl, scope];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
