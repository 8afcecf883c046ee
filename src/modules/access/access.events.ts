import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ownId } from '../../kernel/schema.js';
import type { App } from '../tenancy/app.entity.js';
import type { ApiKey } from './api-key.entity.js';

const apiKey = z.object({
  keyId: ownId('apiKey'),
  scopeId: ownId('scope'),
  appId: ownId('app'),
  projectId: ownId('project'),
});

export const ApiKeyCreated = defineEvent('api-key.created', apiKey.describe('An API key was created.'));
export type ApiKeyCreated = PayloadOf<typeof ApiKeyCreated>;

export const ApiKeyRotated = defineEvent('api-key.rotated', apiKey.describe('An API key got a new value.'));
export type ApiKeyRotated = PayloadOf<typeof ApiKeyRotated>;

export const ApiKeyRevoked = defineEvent(
  'api-key.revoked',
  apiKey.describe('An API key was revoked. No request is accepted with it any more.'),
);
export type ApiKeyRevoked = PayloadOf<typeof ApiKeyRevoked>;

export function payloadOf({ id: appId, project }: App, { id: keyId, scope }: ApiKey): ApiKeyCreated {
  return { keyId, scopeId: scope.id, appId, projectId: project.id };
}
