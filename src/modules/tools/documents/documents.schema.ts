import { z } from 'zod';
import { anyJson, displayName } from '../../../kernel/schema.js';
import { HEADER_NAME, MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import { conditionFault, templateFaults } from '../../../platform/template/template-faults.js';

export const SCHEMA_VERSION = '1.0';

const schemaVersion = z.literal(SCHEMA_VERSION);
const MAX_SCRIPT = 100_000;
const MAX_NODES = 500;
const MAX_WAIT_SECONDS = 30 * 24 * 3_600;

/** A text that is refused if it is no valid template. */
const template = z.string().max(100_000).superRefine(refuseBadTemplates);
const templates: z.ZodType = anyJson.superRefine(refuseBadTemplates);

/** The name by which models call the tool. */
const functionName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must have 1 to 64 letters, digits, _ and -, and begin with a letter or _');

export const ToolDocument = z
  .strictObject({
    schemaVersion,
    tool: z.strictObject({
      name: functionName.describe('The name by which models call the tool.'),
      description: z.string().trim().min(1).max(4_096).describe('The description of the tool for models.'),
      inputSchema: z
        .record(z.string(), anyJson)
        .describe('A JSON Schema (2020-12) of the input, whose type is object.'),
      authProfiles: z
        .array(displayName)
        .max(10)
        .optional()
        .describe(
          'The authorization profiles whose tokens of the user the tool gets, as `{{ tokens.NAME }}`. It gets no other tokens.',
        ),
    }),
  })
  .meta({ id: 'ToolDocument', title: 'tool.json' });
export type ToolDocument = z.infer<typeof ToolDocument>;

const callflowId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -');
const nodeId = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'must begin with a letter or _, followed by letters, digits, _ and -; the limit is 64 characters',
  )
  .refine((id) => !(id in Object.prototype), 'is a reserved name of JavaScript; choose another name');

const common = { id: nodeId, name: displayName.optional().describe('The name that people see.') };
const whole = (min: number, max: number) => z.int().min(min).max(max);
const retry = z
  .strictObject({
    attempts: whole(1, 10).default(3),
    delayMs: whole(0, 60_000)
      .default(500)
      .describe('The milliseconds before the second attempt. They double before each later one.'),
  })
  .optional()
  .describe('How often the node is attempted if the server does not answer, or answers 408, 425, 429 or 5xx.');

const StartNode = z.strictObject({ ...common, type: z.literal('start') });

const mediaType = z.string().max(255).regex(MEDIA_TYPE, 'is not a media type, such as text/plain');

const Multipart = z
  .strictObject({
    fields: templates.describe(
      'An object of the fields. Texts, numbers and booleans are sent as text, objects as JSON, and lists as a field for each item. Null is left out.',
    ),
    files: z
      .array(z.string().min(1).max(256))
      .max(50)
      .optional()
      .describe(
        'The names of the fields that are files. Each is an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`.',
      ),
    types: z
      .record(z.string().min(1).max(256), mediaType)
      .optional()
      .describe('The media types of fields. A field whose media type is that of JSON is sent as JSON.'),
  })
  .describe('A form of multipart/form-data as the body. The limit is 16 MiB.');

const OAuth = z
  .strictObject({
    credentials: template.describe(
      '`client_id:client_secret`, from a secret variable. A text without a colon is an access token, and sent as it is.',
    ),
    tokenUrl: template.optional().describe('The address of the token endpoint.'),
    openIdConnectUrl: template.optional().describe('The address of the discovery document, which names the endpoint.'),
    scope: z.string().max(2_000).optional().describe('The scopes to ask for, with spaces between them.'),
  })
  .refine(({ tokenUrl, openIdConnectUrl }) => (tokenUrl === undefined) !== (openIdConnectUrl === undefined), {
    message: 'must have one of tokenUrl and openIdConnectUrl',
  })
  .describe(
    'Obtains an access token with client credentials, and sends it as `Authorization: Bearer`. It is kept until it expires.',
  );

const BODIES = ['body', 'multipart', 'file'] as const;

const HttpNode = z
  .strictObject({
    ...common,
    type: z.literal('http'),
    url: template.describe('The address, which begins with http:// or https://. It is a template.'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
    headers: z.record(z.string().max(256).regex(HEADER_NAME, 'is not the name of a header'), template).optional(),
    query: z.record(z.string().min(1).max(256), template).optional(),
    body: templates
      .optional()
      .describe('The body of the request. A text is sent unchanged, and any other value as JSON.'),
    multipart: Multipart.optional(),
    file: templates
      .optional()
      .describe(
        'A file as the body: an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`.',
      ),
    oauth: OAuth.optional(),
    timeoutMs: whole(1, 300_000).default(30_000).describe('The timeout of each attempt in milliseconds.'),
    retry,
  })
  .superRefine(({ method, headers = {}, ...node }, context) => {
    const [first, second] = BODIES.filter((name) => node[name] !== undefined);
    const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (first && method === 'GET')
      refuse(first, 'has no effect with GET, which has no body; use query, or another method');
    if (second) refuse(second, `cannot be sent together with ${first}, because a request has one body`);
    if (node.oauth && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
      refuse('oauth', 'sends the header authorization, which `headers` has as well; take one of them out');
  });

const ScriptNode = z.strictObject({
  ...common,
  type: z.literal('script'),
  code: z
    .string()
    .min(1)
    .max(MAX_SCRIPT)
    .describe(
      'The body of a JavaScript function of input, nodes, env and run. The value that it returns is the output of the node.',
    ),
  timeoutMs: whole(1, 10_000).default(1_000),
});

const ConditionNode = z.strictObject({
  ...common,
  type: z.literal('condition'),
  expression: z
    .string()
    .min(1)
    .max(2_000)
    .superRefine((text, context) => {
      const message = conditionFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('A Liquid condition, such as `input.amount > 100 and nodes.find.body.isOpen`.'),
});

const LlmNode = z.strictObject({
  ...common,
  type: z.literal('llm'),
  model: z
    .string()
    .min(1)
    .max(256)
    .describe('The model: a connection or a deployed model by id or by name, or `mock`.'),
  system: template.optional(),
  prompt: template,
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: whole(1, 100_000).optional(),
  timeoutMs: whole(1, 300_000).default(60_000).describe('The timeout of each attempt in milliseconds.'),
  retry,
});

const McpNode = z.strictObject({
  ...common,
  type: z.literal('mcp'),
  connectionId: z.string().min(1).max(64).describe('The id of an MCP connection of the project.'),
  tool: z.string().min(1).max(128).describe('The name of the tool at its server.'),
  input: z.record(z.string(), templates).default({}).describe('The input of the tool. Its texts are templates.'),
  timeoutMs: whole(1, 300_000)
    .default(30_000)
    .describe('The timeout of each attempt in milliseconds. That of the connection applies as well.'),
  retry,
});

const WaitNode = z.strictObject({
  ...common,
  type: z.literal('wait'),
  timeoutSeconds: whole(1, MAX_WAIT_SECONDS)
    .default(3_600)
    .describe('The seconds after which the run fails if no callback has arrived.'),
});

const EndNode = z.strictObject({
  ...common,
  type: z.literal('end'),
  output: templates.optional().describe('The output of the run. The default is the output of the previous node.'),
});

export const FlowNode = z.discriminatedUnion('type', [
  StartNode,
  HttpNode,
  ScriptNode,
  ConditionNode,
  LlmNode,
  McpNode,
  WaitNode,
  EndNode,
]);
export type FlowNode = z.infer<typeof FlowNode>;
export type NodeType = FlowNode['type'];
export const NODE_TYPES = FlowNode.options.map(({ shape }) => shape.type.value);
export type NodeOf<T extends NodeType> = Extract<FlowNode, { type: T }>;

export const FlowEdge = z.strictObject({
  from: nodeId,
  to: nodeId,
  when: z
    .enum(['true', 'false', 'error'])
    .optional()
    .describe(
      'The result for which the edge is taken: `true` or `false` of a condition, or `error` if the node has failed.',
    ),
});
export type FlowEdge = z.infer<typeof FlowEdge>;

export const FlowDocument = z
  .strictObject({
    schemaVersion,
    callflows: z
      .array(
        z.strictObject({
          id: callflowId.optional().describe('The id of the callflow. The default is a generated id.'),
          name: displayName,
          nodes: z.array(FlowNode).min(2).max(MAX_NODES),
          edges: z.array(FlowEdge).max(2 * MAX_NODES),
        }),
      )
      .min(1)
      .max(50),
  })
  .meta({ id: 'FlowDocument', title: 'flow.json' });
export type FlowDocument = z.infer<typeof FlowDocument>;
export type Callflow = FlowDocument['callflows'][number] & { id: string };

export const EnvDocument = z
  .strictObject({
    schemaVersion,
    variables: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(
              /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
              'must begin with a letter or _, followed by letters, digits and _; the limit is 64 characters',
            ),
          value: z.string().max(16_384),
          secret: z
            .boolean()
            .default(false)
            .describe(
              'Whether the value is sealed and never shown. An empty secret value keeps the one that the tool already has.',
            ),
        }),
      )
      .max(200),
  })
  .meta({ id: 'EnvDocument', title: 'env.json' });
export type EnvDocument = z.infer<typeof EnvDocument>;

export const DOCUMENTS = { tool: ToolDocument, flow: FlowDocument, env: EnvDocument } as const;
export type DocumentName = keyof typeof DOCUMENTS;

/** Returns the published JSON Schema of a document, for editors and validators. */
export function jsonSchemaOf(name: DocumentName): Record<string, unknown> {
  return z.toJSONSchema(DOCUMENTS[name], { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' });
}

function refuseBadTemplates(value: unknown, context: z.RefinementCtx): void {
  for (const { path, message } of templateFaults(value)) context.addIssue({ code: 'custom', path, message });
}
