import { z } from 'zod';
import { displayName } from '../../../kernel/schema.js';
import { ConditionNode } from '../nodes/condition.schema.js';
import { HttpNode } from '../nodes/http.schema.js';
import { DelayNode } from '../nodes/delay.schema.js';
import { refuseBadTemplates } from '../nodes/members.schema.js';
import { ScriptNode } from '../nodes/script.schema.js';
import { TransformNode } from '../nodes/transform.schema.js';

/** The members that all nodes of a flow have. Those that a node has beside these are described by its kind. */
export interface FlowNode {
  readonly id: string;
  readonly name?: string | undefined;
  readonly type: string;
}

/** A kind of nodes as data, which a compute thread can receive. */
export interface KindAsData {
  readonly type: string;
  /** The JSON Schema of the members. */
  readonly members: z.core.JSONSchema.BaseSchema;
}

/** The schemas with rules that JSON Schema cannot express. Only their code checks nodes of these types. */
const WITH_OWN_RULES: Readonly<Record<string, z.ZodObject>> = {
  condition: ConditionNode,
  delay: DelayNode,
  http: HttpNode,
  script: ScriptNode,
  transform: TransformNode,
};

export const nodeId = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'must begin with a letter or _, followed by letters, digits, _ and -; the limit is 64 characters',
  )
  .refine((id) => !(id in Object.prototype), 'is a reserved name of JavaScript; choose another name');

export function hasOwnRules(type: string): boolean {
  return Object.hasOwn(WITH_OWN_RULES, type);
}

/** Returns the schema of a whole node. */
export function nodeSchema(type: string, members: z.ZodObject): z.ZodObject {
  const name = displayName.optional().describe('The name that people see.');
  return members.extend({ id: nodeId, name, type: z.literal(type) });
}

/** Returns the schema of a node whose kind came as data. All texts of its members are templates. */
export function nodeSchemaFrom({ type, members }: KindAsData): z.ZodObject {
  if (hasOwnRules(type)) return nodeSchema(type, WITH_OWN_RULES[type]!);
  return nodeSchema(type, z.fromJSONSchema(members) as z.ZodObject).superRefine((node, context) => {
    const { id: _id, name: _name, type: _type, ...texts } = node;
    refuseBadTemplates(texts, context);
  });
}
