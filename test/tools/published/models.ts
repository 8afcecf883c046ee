import { dump } from 'js-yaml';
import { type Json, type Shape, ref, text, responses, json } from './shape.js';

export function models(): Shape {
  const part = { type: 'object', required: ['type'], properties: { type: text, text } };
  const shared = { type: 'object', properties: { temperature: { type: 'number', nullable: true, maximum: 2 } } };
  const message = {
    oneOf: [ref('UserMessage'), ref('ToolMessage')],
    discriminator: { propertyName: 'role' },
  };
  const role = (name: string, more: Json) => ({
    type: 'object',
    required: ['role', 'content'],
    properties: { role: { type: 'string', enum: [name] }, ...more },
  });
  return {
    document: dump({
      openapi: '3.0.0',
      info: { title: 'Models', version: '2' },
      servers: [{ url: 'https://models.example.com/v1' }],
      security: [{ ApiKeyAuth: [] }],
      paths: {
        '/chat/completions': {
          post: {
            operationId: 'createCompletion',
            'x-oaiMeta': { name: 'Create completion', examples: [{ request: { curl: 'curl {{ no.template }}' } }] },
            ...json(ref('CreateCompletion')),
            responses,
          },
        },
        '/audio': {
          post: {
            operationId: 'createTranscription',
            requestBody: {
              required: true,
              content: {
                'multipart/form-data': {
                  schema: {
                    type: 'object',
                    required: ['file'],
                    properties: {
                      file: { type: 'string', format: 'binary' },
                      'timestamps[]': { type: 'array', items: text },
                    },
                  },
                },
              },
            },
            responses,
          },
        },
      },
      components: {
        securitySchemes: { ApiKeyAuth: { type: 'http', scheme: 'bearer' } },
        schemas: {
          Shared: shared,
          // The same object twice becomes an anchor and an alias in YAML.
          UserMessage: role('user', { content: { anyOf: [text, { type: 'array', items: part }] } }),
          ToolMessage: role('tool', { content: { anyOf: [text, { type: 'array', items: part }] } }),
          Message: message,
          Filter: {
            type: 'object',
            properties: { key: text, filters: { type: 'array', items: { anyOf: [ref('Filter'), { type: 'null' }] } } },
          },
          CreateCompletion: {
            allOf: [
              ref('Shared'),
              {
                type: 'object',
                required: ['model', 'messages'],
                properties: {
                  model: { anyOf: [text, { type: 'string', enum: ['small', 'large'] }] },
                  messages: { type: 'array', minItems: 1, items: ref('Message') },
                  filter: ref('Filter'),
                },
              },
            ],
          },
        },
      },
    }),
    operations: ['createCompletion', 'createTranscription'],
    env: { name: 'API_KEY_AUTH', value: 'sk-canary' },
    run: {
      operation: 'createCompletion',
      input: {
        body: {
          model: 'small',
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
          temperature: null,
          filter: { key: 'a', filters: [{ key: 'b', filters: [] }] },
        },
      },
    },
    sent: {
      method: 'POST',
      url: '/chat/completions',
      headers: { authorization: 'Bearer sk-canary' },
      body: '{"model":"small","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"temperature":null,"filter":{"key":"a","filters":[{"key":"b","filters":[]}]}}',
    },
  };
}
