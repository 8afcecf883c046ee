import { type Json, type Shape, text, responses } from './shape.js';

export function telephony(server: string): Shape {
  const form = (properties: Json, required: string[], encoding: Json = {}) => ({
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required }, encoding },
      },
    },
  });
  const sid = {
    name: 'AccountSid',
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^AC[0-9a-f]{3}$' },
  };
  return {
    document: {
      openapi: '3.0.1',
      info: { title: 'Phone', version: '1' },
      security: [{ accountSid_authToken: [] }],
      paths: {
        '/2010/Accounts/{AccountSid}/Messages.json': {
          servers: [{ url: server }],
          'x-twilio': { pathType: 'list' },
          parameters: [sid],
          post: {
            operationId: 'CreateMessage',
            ...form({ To: text, MediaUrl: { type: 'array', items: text }, Attempt: { type: 'integer' } }, ['To']),
            responses,
          },
          get: {
            operationId: 'ListMessage',
            parameters: [{ name: 'DateSent>', in: 'query', schema: { type: 'string', format: 'date-time' } }],
            responses,
          },
        },
        '/2010/Accounts/{AccountSid}.json': {
          servers: [{ url: server }],
          parameters: [sid],
          post: { operationId: 'UpdateAccount', ...form({ Status: { type: 'string', enum: ['a'] } }, []), responses },
        },
      },
      components: { securitySchemes: { accountSid_authToken: { type: 'http', scheme: 'basic' } } },
    },
    operations: ['CreateMessage', 'ListMessage', 'UpdateAccount'],
    env: { name: 'ACCOUNT_SID_AUTH_TOKEN', value: 'AC123:canary' },
    run: {
      operation: 'CreateMessage',
      input: { AccountSid: 'AC123', body: { To: '+1 2', MediaUrl: ['a', 'b'], Attempt: 2 } },
    },
    sent: {
      method: 'POST',
      url: '/2010/Accounts/AC123/Messages.json',
      headers: { authorization: `Basic ${Buffer.from('AC123:canary').toString('base64')}` },
      body: 'To=%2B1+2&MediaUrl=a&MediaUrl=b&Attempt=2',
    },
  };
}
