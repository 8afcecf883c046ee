import { createHmac, createSign, type KeyObject } from 'node:crypto';

/** Tokens are made by hand, so that a test can make any part of one wrong. */
export interface TokenInput {
  clientId?: string;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function unsigned({ clientId, claims, header }: TokenInput, alg: string): string {
  const now = Math.floor(Date.now() / 1000);
  const usual = { sub: 'contact-centre', ...(clientId !== undefined && { appId: clientId }), iat: now };
  return `${part({ alg, typ: 'JWT', ...header })}.${part({ ...usual, ...claims })}`;
}

export function hs256(secret: string | KeyObject, input: TokenInput): string {
  const text = unsigned(input, 'HS256');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export function rs256(privateKey: KeyObject, input: TokenInput): string {
  const text = unsigned(input, 'RS256');
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
}

export function unsignedToken(input: TokenInput): string {
  return `${unsigned(input, 'none')}.`;
}
