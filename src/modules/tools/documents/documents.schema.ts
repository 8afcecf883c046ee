import { z } from 'zod';
import { anyJson, displayName } from '../../../kernel/schema.js';
import { type FlowNode, nodeId } from './node-schemas.js';

export const SCHEMA_VERSION = '1.0';

const schemaVersion = z.literal(SCHEMA_VERSION);
const MAX_NODES = 500;

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

/** Returns the schema of flow documents with nodes of these schemas. */
export function flowDocument(nodes: readonly z.ZodObject[]): z.ZodType<FlowDocument> {
  const [first, ...others] = nodes;
  const node = z.discriminatedUnion('type', [first!, ...others]) as z.ZodType as z.ZodType<FlowNode>;
  return z
    .strictObject({
      schemaVersion,
      callflows: z
        .array(
          z.strictObject({
            id: callflowId.optional().describe('The id of the callflow. The default is a generated id.'),
            name: displayName,
            nodes: z.array(node).min(2).max(MAX_NODES),
            edges: z.array(FlowEdge).max(2 * MAX_NODES),
          }),
        )
        .min(1)
        .max(50),
    })
    .meta({ id: 'FlowDocument', title: 'flow.json' });
}

export interface FlowDocument {
  schemaVersion: typeof SCHEMA_VERSION;
  callflows: (Omit<Callflow, 'id'> & { id?: string | undefined })[];
}

export interface Callflow {
  id: string;
  name: string;
  nodes: FlowNode[];
  edges: FlowEdge[];
}

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

export const DOCUMENT_NAMES = ['tool', 'flow', 'env'] as const;
export type DocumentName = (typeof DOCUMENT_NAMES)[number];
