import { type Shape, text, responses } from './shape.js';

export function storage(server: string): Shape {
  const attributes = {
    type: 'object',
    required: ['name', 'parent'],
    properties: { name: text, parent: { type: 'object', required: ['id'], properties: { id: text } } },
  };
  const properties = { attributes, file: { type: 'string', format: 'binary' } };
  const upload = { type: 'object', required: ['attributes', 'file'], properties };
  return {
    document: {
      openapi: '3.0.2',
      info: { title: 'Storage', version: '1' },
      servers: [{ url: 'https://storage.example.com/2.0' }],
      security: [{ OAuth2Security: [] }],
      paths: {
        '/files/content': {
          post: {
            operationId: 'post_files_content',
            'x-box-tag': 'uploads',
            servers: [{ url: `${server}/api/2.0` }],
            requestBody: { content: { 'multipart/form-data': { schema: upload } } },
            responses,
          },
        },
        '/files/{file_id}': {
          get: {
            operationId: 'get_files_id',
            parameters: [
              { name: 'file_id', in: 'path', required: true, schema: text },
              { name: 'fields', in: 'query', explode: false, schema: { type: 'array', items: text } },
              { name: 'if-none-match', in: 'header', schema: text },
            ],
            responses,
          },
        },
      },
      components: {
        securitySchemes: { OAuth2Security: { type: 'oauth2', flows: { authorizationCode: { scopes: {} } } } },
      },
    },
    operations: ['post_files_content', 'get_files_id'],
    env: { name: 'OAUTH2_SECURITY', value: 'canary-of-a-login' },
    run: {
      operation: 'post_files_content',
      input: { body: { attributes: { name: 'a.txt', parent: { id: '0' } }, file: { text: 'Hello', name: 'a.txt' } } },
    },
    sent: {
      method: 'POST',
      url: '/api/2.0/files/content',
      headers: { authorization: 'Bearer canary-of-a-login' },
      body: [
        'name="attributes"\r\nContent-Type: application/json\r\n\r\n{"name":"a.txt","parent":{"id":"0"}}\r\n',
        'name="file"; filename="a.txt"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello\r\n',
      ],
    },
  };
}
