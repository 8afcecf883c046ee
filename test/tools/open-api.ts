import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tenant } from '../support/actors.js';
import { type DockBody, ended, TOOLS, uploadJson } from './make.js';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  body: string;
  bytes: Buffer;
}

/** A server whose operations the documents describe. It records what it is sent, and answers what `says` has, or where the order is. */
export async function startApi() {
  const received: ReceivedRequest[] = [];
  const api = { says: undefined as object | undefined };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const { method, url, headers } = request;
      received.push({ method: method!, url: url!, headers, body: bytes.toString(), bytes });
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(api.says ?? { place: 'Oslo' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(api, { url, received, last: () => received.at(-1)!, stop: () => server.close() });
}

/** Imports a document, or text of YAML, as tools. Returns the job at its end, which may be a failure. */
export async function importedJob(tenant: Tenant, document: unknown, more: object = {}): Promise<DockBody> {
  const fileId = await uploadJson(tenant, document, typeof document === 'string' ? 'api.yaml' : 'api.json');
  const body = { toolName: 'Orders', toolDataFileId: fileId, flowDataFileId: fileId, ...more };
  const answer = await tenant.api.post<DockBody>(`${TOOLS}/import`, body);
  if (answer.status !== 200) throw new Error(`The import was refused: ${answer.text}`);
  return ended(tenant, answer.body);
}

export async function deploy({ api }: Tenant, toolId: string): Promise<void> {
  const { body, text } = await api.post<DockBody>(`${TOOLS}/${toolId}/deploy`, { isAsync: false });
  if (body.status !== 'SUCCESS') throw new Error(`The deploy failed: ${text}`);
}

/** Imports the only operation of a document, deploys it and returns the id of its tool. */
export async function deployed(tenant: Tenant, document: unknown, more: object = {}): Promise<string> {
  const job = await importedJob(tenant, document, more);
  if (job.status !== 'SUCCESS') throw new Error(`The import failed: ${JSON.stringify(job.error)}`);
  await deploy(tenant, job.toolId);
  return job.toolId;
}

type Json = Record<string, unknown>;

/** Returns a document with one operation, `find`, unless the paths are others. */
export function openApi(more: Json = {}, operation: Json = {}): Json {
  const find = { operationId: 'find', summary: 'Finds an order.', responses: {}, ...operation };
  return {
    openapi: '3.0.3',
    info: { title: 'Orders', version: '1' },
    servers: [{ url: 'https://orders.example.com/v1' }],
    paths: { '/orders': { post: find } },
    ...more,
  };
}

export const bodyOf = (schema: Json, type = 'application/json'): Json => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});

/** Written like the documents of five makers: each has what is particular about them. */
export const MAKERS = {
  'a pet shop, in YAML': {
    document: `
openapi: 3.0.4
servers: [{ url: /api/v3 }]
paths:
  /pets/{petId}:
    parameters:
      - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
    get:
      operationId: getPetById
      summary: Finds a pet.
      parameters:
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - { name: size, in: query, schema: { type: string } }
        - { name: api_key, in: header, required: false, schema: { type: string } }
      security: [{ api_key: [] }]
components:
  securitySchemes:
    api_key: { type: apiKey, name: api_key, in: header }
`,
    env: { name: 'API_KEY', value: 'canary-of-the-pet-shop' },
    input: { petId: 7, tags: ['a b', 'c'] },
    sent: { method: 'GET', url: '/v1/pets/7?tags=a+b&tags=c', headers: { api_key: 'canary-of-the-pet-shop' } },
  },
  'payments, with forms': {
    document: {
      openapi: '3.0.0',
      servers: [{ url: 'https://payments.example.com/' }],
      security: [{ basicAuth: [] }, { bearerAuth: [] }],
      paths: {
        '/charges': {
          post: {
            operationId: 'PostCharges',
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  encoding: { expand: { style: 'deepObject', explode: true } },
                  schema: {
                    type: 'object',
                    required: ['amount'],
                    properties: {
                      amount: { type: 'integer' },
                      expand: { type: 'array', items: { type: 'string' } },
                      metadata: { type: 'object', additionalProperties: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
      components: {
        securitySchemes: {
          basicAuth: { type: 'http', scheme: 'basic' },
          bearerAuth: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    env: { name: 'BASIC_AUTH', value: 'sk_canary:' },
    input: { body: { amount: 100, expand: ['customer'], metadata: { order: '6 & 7' } } },
    sent: {
      method: 'POST',
      url: '/v1/charges',
      headers: {
        authorization: `Basic ${Buffer.from('sk_canary:').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'amount=100&expand%5B%5D=customer&metadata%5Border%5D=6+%26+7',
    },
  },
  'code hosting, with names like paths': {
    document: {
      openapi: '3.0.3',
      servers: [{ url: 'https://code.example.com' }],
      paths: {
        '/repos/{owner}/{repo}/issues': {
          post: {
            operationId: 'issues/create',
            parameters: [
              { $ref: '#/components/parameters/owner' },
              { name: 'repo', in: 'path', schema: { type: 'string' } },
            ],
            ...bodyOf({ $ref: '#/components/schemas/issue' }),
          },
        },
      },
      components: {
        parameters: { owner: { name: 'owner', in: 'path', required: true, schema: { type: 'string' } } },
        schemas: {
          issue: {
            type: 'object',
            properties: {
              id: { type: 'integer', readOnly: true },
              title: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
              milestone: { type: 'string', nullable: true },
              parent: { $ref: '#/components/schemas/issue' },
            },
            required: ['title', 'id'],
          },
        },
      },
    },
    env: undefined,
    input: { owner: 'a/b', repo: 'c', body: { title: 'Broken', milestone: null } },
    sent: { method: 'POST', url: '/v1/repos/a%2Fb/c/issues', body: '{"title":"Broken","milestone":null}' },
  },
  'telephony, with odd names': {
    document: {
      openapi: '3.0.1',
      servers: [{ url: 'https://phone.example.com' }],
      security: [{ token: [] }],
      paths: {
        '/Accounts/{Sid}/Calls.json': {
          get: {
            operationId: 'ListCall',
            parameters: [
              { name: 'Sid', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'StartTime>', in: 'query', schema: { type: 'string', format: 'date-time' } },
              { name: 'Filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
            ],
          },
        },
      },
      components: { securitySchemes: { token: { type: 'apiKey', in: 'query', name: 'token' } } },
    },
    env: { name: 'TOKEN', value: 'canary/of the phone' },
    input: { Sid: 'AC1', StartTime: '2026-01-01T00:00:00Z', Filter: { state: 'done' } },
    sent: {
      method: 'GET',
      url: '/v1/Accounts/AC1/Calls.json?StartTime%3E=2026-01-01T00%3A00%3A00Z&Filter%5Bstate%5D=done&token=canary%2Fof+the+phone',
    },
  },
  'models, in OpenAPI 3.1': {
    document: {
      openapi: '3.1.0',
      servers: [{ url: 'https://models.example.com' }],
      security: [{ ApiKeyAuth: [] }],
      paths: {
        '/embeddings': {
          post: {
            operationId: 'createEmbedding',
            ...bodyOf({
              allOf: [
                { type: 'object', properties: { input: { type: ['string', 'null'] } } },
                {
                  type: 'object',
                  properties: { size: { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'null' }] } },
                },
              ],
            }),
          },
        },
      },
      components: { securitySchemes: { ApiKeyAuth: { type: 'http', scheme: 'bearer' } } },
    },
    env: { name: 'API_KEY_AUTH', value: 'sk-canary-of-models' },
    input: { body: { input: 'Hello', size: 3 } },
    sent: {
      method: 'POST',
      url: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-canary-of-models' },
      body: '{"input":"Hello","size":3}',
    },
  },
} as const;
