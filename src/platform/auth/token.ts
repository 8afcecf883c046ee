import { createVerify, type KeyObject, createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { isJsonObject, parseJson } from '../../kernel/json.js';
import { authErrors } from './auth.errors.js';
import type { KnownJwtClient, TokenAlgorithm } from './jwt-client-directory.js';

export interface TokenClaims {
  appId?: unknown;
  iss?: unknown;
  sub?: unknown;
  jti?: unknown;
  iat?: unknown;
  nbf?: unknown;
  exp?: unknown;
}

/** The contents of a token before anything is verified. */
export interface UnverifiedToken {
  readonly text: string;
  readonly header: { alg?: unknown; crit?: unknown };
  readonly claims: TokenClaims;
}

const MAX_TOKEN_LENGTH = 16_384;
const LEEWAY_SECONDS = 60;
const DAY_SECONDS = 24 * 3600;

/**
 * Reads the token of a request from `auth` or `token`, with or without `Bearer `. Both are accepted only if they agree.
 */
export function readToken({ headers }: Request): string {
  const given = [headers.auth, headers.token].flat().filter((value) => value !== undefined);
  const tokens = given.map((value) => value.replace(/^Bearer( +|$)/i, '').trim());
  if (tokens.every((token) => token === '')) throw authErrors.tokenMissing();
  const [token = '', ...others] = tokens;
  if (others.some((other) => other !== token)) throw authErrors.tokenInvalid();
  return token;
}

export function decodeToken(text: string): UnverifiedToken {
  const parts = text.length > MAX_TOKEN_LENGTH ? [] : text.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) throw authErrors.tokenInvalid();
  const [header, claims] = parts.slice(0, 2).map(decodePart);
  if (!header || !claims) throw authErrors.tokenInvalid();
  return { text, header, claims };
}

/** Returns the client that the token names as `appId` or as `iss`. */
export function clientIdOf({ appId, iss }: TokenClaims): string {
  const clientId = appId ?? iss;
  if (typeof clientId !== 'string') throw authErrors.tokenInvalid();
  return clientId;
}

/** Refuses a token that has expired or is not valid yet. Returns the time from which on it is useless. */
export function checkTimes(claims: TokenClaims, { requireExp }: KnownJwtClient, now: Date): Date | null {
  const seconds = now.getTime() / 1000;
  const [iat, nbf, exp] = [claims.iat, claims.nbf, claims.exp].map(toSeconds);
  if (exp === undefined && requireExp) throw authErrors.tokenInvalid();
  const ends = exp ?? (iat === undefined ? undefined : iat + DAY_SECONDS);
  if (ends !== undefined && seconds >= ends + LEEWAY_SECONDS) throw authErrors.tokenExpired();
  const begins = Math.max(nbf ?? -Infinity, iat ?? -Infinity);
  if (begins > seconds + LEEWAY_SECONDS) throw authErrors.tokenNotYetValid();
  return ends === undefined ? null : new Date(Math.min((ends + LEEWAY_SECONDS) * 1000, MAX_TIME));
}

/** Finds the key that signed the token. If none did, it returns the first one, and the verification then fails. */
export function signingKey({ text }: UnverifiedToken, { keys, algorithm }: KnownJwtClient): KeyObject | undefined {
  return keys.find((key) => keys.length === 1 || isSignedWith(text, key, algorithm)) ?? keys[0];
}

/** The latest time that the service stores. JavaScript's own range goes further. */
const MAX_TIME = Date.UTC(9999, 11, 31);

function toSeconds(claim: unknown): number | undefined {
  if (claim === undefined) return undefined;
  if (typeof claim !== 'number' || !Number.isFinite(claim)) throw authErrors.tokenInvalid();
  return claim;
}

function decodePart(part: string): Record<string, unknown> | undefined {
  const value = parseJson(Buffer.from(part, 'base64url').toString());
  return isJsonObject(value) ? value : undefined;
}

function isSignedWith(text: string, key: KeyObject, algorithm: TokenAlgorithm): boolean {
  const end = text.lastIndexOf('.');
  const signed = text.slice(0, end);
  const signature = Buffer.from(text.slice(end + 1), 'base64url');
  if (algorithm === 'RS256') return createVerify('sha256').update(signed).verify(key, signature);
  const expected = createHmac('sha256', key).update(signed).digest();
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}
