import { type Json, type Shape, text, responses } from './shape.js';

export function design(server: string): Shape {
  const { host } = new URL(server);
  const get = (operationId: string, parameters: Json[], security: Json[]) => ({
    get: { operationId, parameters, security, responses },
  });
  const key = { name: 'file_key', in: 'path', required: true, schema: text };
  const ids = { name: 'ids', in: 'query', style: 'form', explode: false, schema: { type: 'array', items: text } };
  const depth = { name: 'depth', in: 'query', schema: { type: 'number' } };
  return {
    document: {
      openapi: '3.1.0',
      info: { title: 'Design', version: '1' },
      servers: [{ url: 'http://{host}/{version}', variables: { host: { default: host }, version: { default: 'v1' } } }],
      paths: {
        '/files/{file_key}': get(
          'getFile',
          [key, ids, depth],
          [{ MutualTLS: [] }, { PersonalToken: [] }, { OAuth2: [] }],
        ),
        '/files/{file_key}/meta': get('getMeta', [key], [{ OAuth2: ['file:read'] }]),
      },
      components: {
        securitySchemes: {
          MutualTLS: { type: 'mutualTLS' },
          PersonalToken: { type: 'apiKey', in: 'header', name: 'X-Token' },
          OAuth2: {
            type: 'oauth2',
            flows: {
              authorizationCode: { authorizationUrl: `${server}/auth`, tokenUrl: `${server}/token`, scopes: {} },
            },
          },
        },
      },
    },
    operations: ['getFile', 'getMeta'],
    env: { name: 'PERSONAL_TOKEN', value: 'canary-personal' },
    run: { operation: 'getFile', input: { file_key: 'a b', ids: ['1:2', '3:4'], depth: 2 } },
    sent: {
      method: 'GET',
      url: '/v1/files/a%20b?ids=1%3A2%2C3%3A4&depth=2',
      headers: { 'x-token': 'canary-personal' },
    },
  };
}
