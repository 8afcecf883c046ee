import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { declaredSchemas } from '../../src/platform/http/declared-schemas.js';
import { TAGS } from '../../src/platform/openapi/tags.js';
import { RouteIndex } from '../../src/platform/route/route-index.js';
import { Client } from '../support/client.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';

/** It was 7,500 while each operation had the errors written out that most of them share. */
const MOST_BYTES_OF_OPERATION = 4_500;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: { enum?: string[]; example?: string; anyOf?: { enum?: string[]; type?: string }[] };
}

interface Schema {
  $ref?: string;
  required?: string[];
  properties?: Record<string, { default?: unknown; description?: string }>;
}

interface Response {
  $ref?: string;
  description: string;
  content: Record<string, { schema: Schema; examples?: Record<string, { value: Record<string, unknown> }> }>;
}

interface Document {
  info: { version: string };
  tags: { name: string; description?: string }[];
  paths: Record<
    string,
    Record<
      string,
      {
        tags: string[];
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses: Record<string, Response>;
      }
    >
  >;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response>; securitySchemes: object };
}

const service = await startService();
const { body: document, text } = await new Client(service.url).get<Document>('/openapi.json');
const routes = service.app.get(RouteIndex).all();
const operationOf = ({ verb, path }: { verb: string; path: string }) => document.paths[path]![verb.toLowerCase()]!;
const operation = (name: string) => {
  const [verb = '', path = ''] = name.split(' ');
  return operationOf({ verb, path });
};
afterAll(() => service.stop());

describe('the size of the document', () => {
  it('grows with the operations only', async () => {
    // Other test files of this process may have left settings and schemas, which a process of its own does not have.
    const alone = await startProcess(service.settings);
    const bytes = (await fetch(`${alone.url}/openapi.json`).then((answer) => answer.arrayBuffer())).byteLength;
    await alone.stop();
    expect(bytes / routes.length).toBeLessThan(MOST_BYTES_OF_OPERATION);
  });

  it('contains no error twice', () => {
    const errors = routes.flatMap((route) =>
      Object.entries(operationOf(route).responses).filter(([status]) => Number(status) >= 400),
    );
    expect(errors.length).toBeGreaterThan(1_000);
    expect(errors.filter(([, { $ref }]) => $ref === undefined)).toEqual([]);
    const shared = Object.values(document.components.responses).map((response) => JSON.stringify(response));
    expect(new Set(shared).size).toBe(shared.length);
  });

  it('refers only to its own components', () => {
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!));
    const at = (reference: string) =>
      reference
        .slice(2)
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
    expect([...references].filter((reference) => at(reference) === undefined)).toEqual([]);
  });
});

describe('errors', () => {
  it('are of one type on all routes but the hooks', () => {
    const schemas = routes.flatMap((route) =>
      Object.entries(operationOf(route).responses).flatMap(([status, { $ref = '' }]) => {
        // An answer to HEAD has no body.
        if (Number(status) < 400 || route.verb === 'HEAD') return [];
        const { content } = document.components.responses[$ref.split('/').at(-1)!]!;
        const isForBrowsers = route.errorShape.page !== undefined;
        expect(Object.keys(content)).toEqual(['application/json', ...(isForBrowsers ? ['text/html'] : [])]);
        return [[content['application/json']!.schema.$ref!.split('/').at(-1), route.path] as const];
      }),
    );
    const pathsOf = Object.groupBy(schemas, ([name]) => name!);
    expect(Object.keys(pathsOf).sort()).toEqual(['Error', 'HookError']);
    expect(new Set(pathsOf.HookError!.map(([, path]) => path))).toEqual(new Set(['/agentassist/api/v1/hooks/{botId}']));
  });
});

describe('tags', () => {
  it('have a sentence each, in the order in which a reader gets to know the service', () => {
    const names = document.tags.map(({ name }) => name);
    expect(names).toEqual(Object.keys(TAGS));
    expect(document.tags.filter(({ description = '' }) => !/^[A-Z`].{10,}\.$/.test(description))).toEqual([]);
    const journey = ['Sessions', 'Runs', 'Chat completions', 'Webhook channel', 'LLM ledger'];
    expect(names.filter((name) => journey.includes(name))).toEqual(journey);
    const firstOfAdministration = names.findIndex((name) => name.startsWith('Administration'));
    expect(names.slice(firstOfAdministration).filter((name) => !name.startsWith('Administration'))).toEqual([]);
  });
});

it('has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(document.info.version).toBe(version);
});

it('names the API key as the first way to authorize', () => {
  expect(Object.keys(document.components.securitySchemes)[0]).toBe('apiKey');
});

describe('an optional member', () => {
  const isTakenWithout = (schema: z.ZodType, name: string) =>
    !schema.safeParse({}).error?.issues.some(({ path }) => path[0] === name);

  it('of a query is optional in the document, and no other is', () => {
    const faults = routes.flatMap((route) => {
      const { query } = declaredSchemas(route.controller.constructor, route.method);
      const parameters = (operationOf(route).parameters ?? []).filter((each) => each.in === 'query');
      return parameters
        .filter(({ name, required = false }) => required === isTakenWithout(query, name))
        .map(({ name }) => `${route.verb} ${route.path}: ${name}`);
    });
    expect(faults).toEqual([]);
    const { parameters = [] } = operation('GET /api/public/apps/{appId}/sessions');
    expect(parameters.find(({ name }) => name === 'include')).toMatchObject({ required: false });
  });

  it('of a body is optional in the document, and its description says what is assumed', () => {
    const bodies = routes.flatMap((route) => {
      const schema = operationOf(route).requestBody?.content['application/json']?.schema;
      if (!schema) return [];
      const named = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''];
      const { body } = declaredSchemas(route.controller.constructor, route.method);
      return [{ name: `${route.verb} ${route.path}`, named, body }];
    });
    expect(bodies.filter(({ named }) => named === undefined)).toEqual([]);
    const faults = bodies.flatMap(({ name, named, body }) => {
      const wrong = (named!.required ?? []).filter((member) => isTakenWithout(body, member));
      const assumed = Object.keys(named!.properties ?? {}).filter((member) => named!.properties![member]!.default);
      return [...wrong, ...assumed].map((member) => `${name}: ${member}`);
    });
    expect(faults).toEqual([]);
    const { stream } = document.components.schemas.StartRunInput!.properties!;
    expect(stream).not.toHaveProperty('default');
    expect(stream!.description).toContain('The default is `false`.');
  });
});

describe('an environment in a path', () => {
  it('is one of four', () => {
    const parameters = routes
      .flatMap((route) => operationOf(route).parameters ?? [])
      .filter(({ name }) => name === 'envName');
    expect(parameters.length).toBeGreaterThan(5);
    const names = ['development', 'staging', 'production', 'working-copy'];
    for (const { schema } of parameters) expect(schema).toMatchObject({ enum: names, example: 'production' });
  });
});

describe('the filters of the ledger', () => {
  it.each([
    ['status', 'failed'],
    ['environment', 'working-copy'],
    ['channel', 'web_chat'],
    ['channelType', 'voice_realtime'],
    ['source', 'studio_test_calls'],
    ['sourceSubtype', 'tool_result_summarization'],
  ])('name the known values of %s, and accept others', (filter, known) => {
    const { parameters = [] } = operation('GET /api/public/analytics/projects/{projectId}/llm-ledger');
    const [values, others] = parameters.find(({ name }) => name === filter)!.schema.anyOf!;
    expect(values!.enum).toContain(known);
    expect(others).toEqual({ type: 'string' });
  });
});

describe('examples of answers', () => {
  const shown = (name: string, status = '200') => {
    const { examples = {} } = operation(name).responses[status]!.content['application/json']!;
    return Object.fromEntries(Object.entries(examples).map(([example, { value }]) => [example, value]));
  };

  it('are those of each dock operation, with the members that it answers', () => {
    const ofTool = { toolId: expect.stringMatching(/^a-/) as string, jobType: 'TOOLS' };
    const ofModel = { modelId: expect.stringMatching(/^cm-/) as string, jobType: 'MODELS' };
    const response = { downloadUrl: expect.stringContaining('/content?expires=') as string };
    const dockStatusId = expect.stringMatching(/^ds-/) as string;
    const exportJobId = expect.stringMatching(/^tool-ej-/) as string;
    const { started: imported } = shown('POST /api/public/tools/import');
    expect(imported).toEqual({ dockStatusId, ...ofTool, action: 'IMPORT', status: 'IN_PROGRESS' });
    const { started: exported } = shown('POST /api/public/tools/{toolId}/export');
    expect(exported).toEqual({
      dockStatusId,
      ...ofTool,
      action: 'EXPORT',
      status: 'IN_PROGRESS',
      exportJobId,
      response,
    });
    const { started, waited } = shown('POST /api/public/tools/{toolId}/deploy');
    expect([started!.status, waited!.status]).toEqual(['IN_PROGRESS', 'SUCCESS']);
    expect(waited).toMatchObject({ ...ofTool, action: 'DEPLOY' });
    const { done: undeployed } = shown('POST /api/public/tools/{toolId}/undeploy');
    expect(undeployed).toEqual({ dockStatusId, ...ofTool, action: 'UNDEPLOY', status: 'SUCCESS' });
    const { started: deployed } = shown('POST /api/public/models/{modelId}/deploy');
    expect(deployed).toEqual({ dockStatusId, ...ofModel, action: 'DEPLOY', status: 'IN_PROGRESS' });
    const { done: ended } = shown('POST /api/public/models/{modelId}/undeploy');
    expect(ended).toEqual({ dockStatusId, ...ofModel, action: 'UNDEPLOY', status: 'SUCCESS' });
    const { done: model } = shown('POST /api/public/models/{modelId}/export');
    const whole = { status: 'SUCCESS', percentageComplete: 100, response };
    expect(model).toEqual({ dockStatusId, ...ofModel, action: 'EXPORT', ...whole });
  });

  it('show both a file and the import of a model for a complete upload', () => {
    const { file, modelImport } = shown('POST /api/public/files/session/{sessionId}/complete');
    expect(file).toHaveProperty('url');
    expect(modelImport).toMatchObject({ jobType: 'MODELS', action: 'IMPORT', status: 'IN_PROGRESS' });
  });

  it('show both a new session and an existing one', () => {
    const name = 'POST /api/v2/apps/{appId}/environments/{envName}/sessions';
    expect(Object.keys(operation(name).responses)).toEqual(expect.arrayContaining(['200', '201']));
    expect(shown(name).answer).toMatchObject({ session: { status: 'idle' }, events: [], output: [] });
  });

  it('match their schemas', () => {
    const faults = routes.flatMap(({ verb, path, returns, otherAnswers }) => {
      const others = Object.values(otherAnswers).map(({ example }) => example);
      return [...Object.values(returns.examples ?? {}), ...others]
        .filter((example) => !returns.schema.safeParse(example).success)
        .map((example) => `${verb} ${path}: ${JSON.stringify(example)}`);
    });
    expect(faults).toEqual([]);
  });
});
