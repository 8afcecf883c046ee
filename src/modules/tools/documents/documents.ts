import type { z } from 'zod';
import { findJsonFaults } from '../../../kernel/json-rules.js';
import { newId } from '../../../kernel/ids.js';
import { shortened } from '../../../kernel/shortened.js';
import { storableText } from '../../../kernel/storable-text.js';
import { tooManyTags } from '../../../platform/template/template-faults.js';
import { check } from '../../../platform/route/validation.js';
import {
  type Callflow,
  type DocumentName,
  EnvDocument,
  type FlowDocument,
  SCHEMA_VERSION,
  ToolDocument,
} from './documents.schema.js';
import { flowFaults } from './flow.js';
import { schemaFault } from './input-schema.js';

/** Thrown if the documents do not describe a valid tool. The message tells people the reason. */
export class DocumentFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'DocumentFault';
  }
}

export interface Documents {
  tool: ToolDocument['tool'];
  callflows: Callflow[];
  variables: EnvDocument['variables'];
}

const CODES: Record<DocumentName, string> = {
  tool: 'TOOL_DOCUMENT_INVALID',
  flow: 'FLOW_DOCUMENT_INVALID',
  env: 'ENV_DOCUMENT_INVALID',
};
const MAX_REPORTED_FAULTS = 5;
const LONGEST_PLACE = 200;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The schema of flow documents, which depends on the kinds of nodes that the service has. */
export type FlowSchema = z.ZodType<FlowDocument>;

export interface DocumentBytes {
  tool: Uint8Array;
  flow: Uint8Array;
  env: Uint8Array | null;
}

/** Reads the three documents without compiling their scripts. Throws a DocumentFault that says where the fault is. */
export function readDocuments({ tool, flow, env }: DocumentBytes, flowSchema: FlowSchema): Documents {
  const { tool: described } = read('tool', ToolDocument, tool);
  const fault = schemaFault(described.inputSchema);
  if (fault !== undefined) throw new DocumentFault(CODES.tool, `The tool document: tool.inputSchema ${fault}.`);
  const { callflows } = read('flow', flowSchema, flow);
  const variables = env ? readVariables(env) : [];
  checkNames(
    'flow',
    'callflows',
    callflows.flatMap(({ id }) => id ?? []),
  );
  const faults = callflows.flatMap(({ nodes, edges }, at) => {
    return flowFaults(nodes, edges).map(({ path, message }) => ({ path: ['callflows', at, ...path], message }));
  });
  if (faults.length > 0) throw refusal('flow', faults);
  return {
    tool: described,
    variables,
    callflows: callflows.map((flow) => ({ ...flow, id: flow.id ?? newId('callflow') })),
  };
}

/** Reads an env document by itself. */
export function readVariables(env: Uint8Array): EnvDocument['variables'] {
  const { variables } = read('env', EnvDocument, env);
  checkNames(
    'env',
    'variables',
    variables.map(({ name }) => name),
  );
  return variables;
}

/** Whether the file is an env document, valid or not, that contains the value of a secret. */
export function bringsSecrets(env: Buffer): boolean {
  try {
    const { variables } = parse('env', env) as { variables: Partial<EnvDocument['variables'][number]>[] };
    return variables.some(({ secret, value }) => secret === true && Boolean(value));
  } catch {
    return false;
  }
}

export function codeOf(name: DocumentName): string {
  return CODES[name];
}

function read<Document>(name: DocumentName, schema: z.ZodType<Document>, bytes: Uint8Array): Document {
  const value = parse(name, bytes);
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== undefined && version !== SCHEMA_VERSION) {
    const message = `The ${name} document has the schemaVersion ${shown(version)}; this service supports ${SCHEMA_VERSION}.`;
    throw new DocumentFault('SCHEMA_VERSION_UNKNOWN', message);
  }
  const faults = findJsonFaults(value);
  if (faults.length > 0) throw refusal(name, faults);
  const tooMany = tooManyTags(value);
  if (tooMany !== undefined) throw refusal(name, [{ path: [], message: tooMany }]);
  const { value: document, issues } = check(schema, value);
  if (issues.length > 0) throw refusal(name, issues);
  return document as Document;
}

function parse(name: DocumentName, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes).replace(/^\ufeff/, ''));
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    const where = at === undefined ? '' : ` (at character ${at})`;
    throw new DocumentFault(CODES[name], `The ${name} document is not JSON${where}.`);
  }
}

function checkNames(name: DocumentName, member: string, names: string[]): void {
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined)
    throw new DocumentFault(CODES[name], `The ${name} document has two ${member} named ${twice}.`);
}

function refusal(name: DocumentName, faults: readonly { path: PropertyKey[]; message: string }[]): DocumentFault {
  const reported = faults.slice(0, MAX_REPORTED_FAULTS).map(({ path, message }) => {
    const place = shortened(storableText(path.map(String).join('.')), LONGEST_PLACE);
    return place === '' ? message : `${place} ${message}`;
  });
  const more = faults.length - reported.length;
  return new DocumentFault(
    CODES[name],
    `The ${name} document: ${reported.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
  );
}

function shown(value: unknown): string {
  return shortened(JSON.stringify(value), 40);
}
