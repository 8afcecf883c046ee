import { type Json, type Shape, VERBS, ref, text, responses, json } from './shape.js';

/** Parameters of paths are shared by reference, schemas lead in circles, and extensions are everywhere. */
export function codeHosting(count: number): Shape {
  const operations: string[] = [];
  const paths: Record<string, Json> = {};
  for (let at = 0; at < count; at += 1) {
    const verb = VERBS[at % VERBS.length]!;
    const operationId = `things-${Math.floor(at / VERBS.length)}/${verb}`;
    operations.push(operationId);
    const path = (paths[`/repos/{owner}/{repo}/things-${Math.floor(at / VERBS.length)}/{thing_id}`] ??= {
      parameters: [{ $ref: '#/components/parameters/owner' }, { $ref: '#/components/parameters/repo' }],
    });
    path[verb] = {
      operationId,
      summary: `Does ${verb} with a thing`,
      description: 'Explains at length what the operation does, and for whom. '.repeat(28),
      externalDocs: { url: 'https://docs.example.com/rest' },
      'x-github': { githubCloudOnly: false, enabledForGitHubApps: true, previews: [] },
      parameters: [
        { name: 'thing_id', in: 'path', required: true, schema: { type: 'integer' } },
        { name: 'per_page', in: 'query', schema: { type: 'integer', default: 30 } },
      ],
      ...(['post', 'put', 'patch'].includes(verb) && json(ref('thing'))),
      responses,
    };
  }
  const thing = {
    type: 'object',
    properties: {
      id: { type: 'integer', readOnly: true },
      title: { oneOf: [text, { type: 'integer' }] },
      body: { type: 'string', nullable: true },
      assignee: { nullable: true, allOf: [ref('person')] },
      parent: ref('thing'),
    },
    required: ['title'],
  };
  const person = { type: 'object', properties: { login: text, things: { type: 'array', items: ref('thing') } } };
  const inPath = (name: string) => ({ name, in: 'path', required: true, schema: text });
  return {
    document: {
      openapi: '3.0.3',
      info: { title: 'Code', version: '1' },
      servers: [{ url: 'https://code.example.com' }],
      paths,
      components: {
        parameters: { owner: inPath('owner'), repo: inPath('repo') },
        schemas: { thing, person },
      },
    },
    operations,
    run: {
      operation: 'things-200/patch',
      input: { owner: 'a', repo: 'b', thing_id: 7, per_page: 2, body: { title: 'Broken', body: null } },
    },
    sent: {
      method: 'PATCH',
      url: '/repos/a/b/things-200/7?per_page=2',
      body: '{"title":"Broken","body":null}',
    },
  };
}
