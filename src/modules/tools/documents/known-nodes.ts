import { z } from 'zod';
import { flowNodeKinds } from '../node-kind.port.js';
import { type KindAsData, nodeSchema } from './node-schemas.js';

/** Returns the schemas of all nodes that the service has, those of plugins included. */
export function knownNodes(): z.ZodObject[] {
  return flowNodeKinds.all().map(({ type, description, members }) => nodeSchema(type, members).describe(description));
}

/** Returns the kinds of these nodes as data for compute threads. */
export function kindsAsData(): KindAsData[] {
  return flowNodeKinds.all().map(({ type, members }) => {
    return { type, members: z.toJSONSchema(members, { io: 'input', unrepresentable: 'any' }) };
  });
}
