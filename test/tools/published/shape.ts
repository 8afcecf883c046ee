/** A document, the names of all of its operations, and how one of them is sent. */
export interface Shape {
  document: object | string;
  operations: string[];
  env?: { name: string; value: string };
  run: { operation: string; input: Record<string, unknown> };
  sent: Record<string, unknown>;
}

export type Json = Record<string, unknown>;

export const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const text = { type: 'string' };
export const responses = { 200: { description: 'Done.' } };
export const json = (schema: Json) => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});
