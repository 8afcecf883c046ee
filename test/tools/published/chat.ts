import { dump } from 'js-yaml';
import { type Shape, ref, responses } from './shape.js';

export function chat(): Shape {
  const message = {
    type: 'object',
    properties: {
      content: { type: ['string', 'null'], maxLength: 4_000 },
      embeds: { type: ['array', 'null'], items: ref('Embed') },
      flags: { oneOf: [{ type: 'null' }, { type: 'integer', enum: [4, 64], format: 'int32' }] },
    },
  };
  const files = { 'files[0]': { type: 'string', contentEncoding: 'binary', contentMediaType: 'image/png' } };
  const channel = { name: 'channel_id', in: 'path', required: true, schema: ref('Snowflake') };
  return {
    document: dump({
      openapi: '3.1.0',
      info: { title: 'Chat', version: '10' },
      servers: [{ url: 'https://chat.example.com/api/v10' }],
      paths: {
        '/channels/{channel_id}/messages': {
          parameters: [channel],
          post: {
            operationId: 'create_message',
            requestBody: {
              required: true,
              content: {
                'application/json': { schema: ref('Message') },
                'application/x-www-form-urlencoded': { schema: ref('Message') },
                'multipart/form-data': { schema: { allOf: [ref('Message'), { type: 'object', properties: files }] } },
              },
            },
            security: [{ BotToken: [] }],
            responses,
          },
          get: { operationId: 'list_messages', security: [{}, { BotToken: [] }], responses },
        },
        '/channels/{channel_id}/icon': {
          parameters: [channel],
          put: {
            operationId: 'set_icon',
            security: [],
            requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: files } } } },
            responses,
          },
        },
      },
      components: {
        schemas: {
          Snowflake: { type: 'string', pattern: '^(0|[1-9][0-9]*)$', format: 'snowflake' },
          Embed: { type: 'object', properties: { title: { type: ['string', 'null'] } } },
          Message: message,
        },
        securitySchemes: { BotToken: { type: 'apiKey', in: 'header', name: 'Authorization' } },
      },
    }),
    operations: ['create_message', 'list_messages', 'set_icon'],
    env: { name: 'BOT_TOKEN', value: 'Bot canary' },
    run: { operation: 'create_message', input: { channel_id: '12', body: { content: null, flags: 4 } } },
    sent: {
      method: 'POST',
      url: '/channels/12/messages',
      headers: { authorization: 'Bot canary' },
      body: '{"content":null,"flags":4}',
    },
  };
}
