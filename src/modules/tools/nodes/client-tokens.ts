import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { parseJson } from '../../../kernel/json.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { shortened } from '../../../kernel/shortened.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { OutboundFault } from '../../../platform/outbound/outbound.errors.js';
import { failureOfFault, NodeFailure, type NodeContext } from './node-kind.js';
import { discard } from './unread.js';

const MAX_TOKENS = 1_000;
const LIMITS = { timeoutMs: 15_000, maxBytes: 262_144 };
const LONGEST_CODE = 100;
/** A token is obtained again after this time, even if the server says that it lives longer. */
const MAX_LIFETIME_S = 3_600;
const UNKNOWN_LIFETIME_S = 300;
/** The rest of its lifetime is for the request that sends it. */
const USED_PART = 0.9;

/** The errors of the library if an answer is not what OAuth demands. */
const OTHERS = [oauth.OperationProcessingError, oauth.UnsupportedOperationError];

/** A client of an authorization server, and what its tokens are for. Its texts are filled in already. */
export interface TokenClient {
  /** `client_id:client_secret`, or an access token. Access tokens have no colon. */
  credentials: string;
  tokenUrl?: string | undefined;
  openIdConnectUrl?: string | undefined;
  scope?: string | undefined;
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
  async of(client: TokenClient, context: NodeContext, refused?: string): Promise<string> {
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
    const { token, until } = isUsable ? kept : await this.obtain(client, id, secret, context);
    context.hide(token);
    this.tokens.set(key, { token, until });
    return token;
  }

  private async obtain(client: TokenClient, id: string, secret: string, context: NodeContext): Promise<Kept> {
    const endpoint = client.tokenUrl ?? (await this.discovered(client.openIdConnectUrl!, context));
    const ask = (how: oauth.ClientAuth) => this.ask(endpoint, id, how, client.scope, context);
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
    endpoint: string,
    clientId: string,
    how: oauth.ClientAuth,
    scope: string | undefined,
    { signal }: NodeContext,
  ): Promise<oauth.TokenEndpointResponse> {
    const { origin, protocol } = addressOf(endpoint);
    const server = { issuer: origin, token_endpoint: endpoint };
    const options = {
      [oauth.customFetch]: (url: string, init: RequestInit) => this.outbound.fetch(url, { ...init, signal }, LIMITS),
      // The guarded client decides which addresses are allowed, including those with http.
      [oauth.allowInsecureRequests]: protocol === 'http:',
    };
    const client = { client_id: clientId };
    const parameters = new URLSearchParams(scope ? { scope } : {});
    const response = await oauth.clientCredentialsGrantRequest(server, client, how, parameters, options);
    try {
      if (response.status >= 500) throw refusal(`It answered with the status ${response.status}.`, true);
      const answer = await oauth.processClientCredentialsResponse(server, client, response);
      if (answer.token_type !== 'bearer') throw refusal('Its answer has no bearer token.');
      return answer;
    } finally {
      // The library does not read the body of a challenge, nor of an answer that is no JSON.
      await discard(response);
    }
  }

  /** The address of the tokens is where the server describes itself, as OpenID Connect Discovery says. */
  private async discovered(address: string, { signal }: NodeContext): Promise<string> {
    const response = await this.outbound.fetch(addressOf(address).href, { signal }, LIMITS);
    const described = parseJson(await response.text()) as { token_endpoint?: unknown } | null | undefined;
    const endpoint = described?.token_endpoint;
    if (response.status === 200 && typeof endpoint === 'string') return endpoint;
    throw refusal(`Its openIdConnectUrl answered with the status ${response.status} and without a token endpoint.`);
  }
}

/** Translates what went wrong while a token was obtained. Other errors, such as a signal's reason, stay as they are. */
export function tokenFailure(error: unknown, input: object): unknown {
  if (error instanceof OutboundFault) return failureOfFault(error, input);
  if (error instanceof oauth.ResponseBodyError)
    return refusal(`It answered ${shortened(error.error, LONGEST_CODE)}.`, false, input);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return refusal('It refused the id and the secret of the client.', false, input);
  const isOther = OTHERS.some((kind) => error instanceof kind);
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
