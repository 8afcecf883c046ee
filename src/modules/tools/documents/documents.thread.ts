import { usePlainValidationMessages } from '../../../kernel/validation-messages.js';
import { type OpenApiChoice, readOpenApi, type SkippedOperation } from '../openapi/open-api-tools.js';
import type { EnvDocument } from './documents.schema.js';
import { DocumentFault, type Documents, readDocuments } from './documents.js';
import { type FoundScript, scriptsIn } from './flow.js';

export interface ReadRequest {
  tool: Uint8Array;
  flow: Uint8Array;
  env: Uint8Array | null;
  /** Set if the tool document is an OpenAPI document, and there is no flow document. */
  openApi?: OpenApiChoice | null;
}

/** The parts of the documents that the import needs as values. The rest is passed on as text. */
export interface ReadDocuments {
  toolJson: string;
  callflowsJson: string;
  variables: EnvDocument['variables'];
  callflows: { id: string; name: string }[];
  scripts: FoundScript[];
}

/** The documents of a tool, and the operation of an OpenAPI document that it was made from. */
export interface ReadTool {
  operation: string | null;
  name: string;
  documents: ReadDocuments;
}

export interface ReadTools {
  tools: ReadTool[];
  skipped: SkippedOperation[];
}

export type ReadAnswer = ReadTools | { fault: { code: string; message: string } };

usePlainValidationMessages();

/** Reads the documents of a stranger's tools, in a compute thread. */
export default function read({ tool, flow, env, openApi }: ReadRequest): ReadAnswer {
  try {
    if (!openApi) return { tools: [toReadTool(null, readDocuments(tool, flow, env))], skipped: [] };
    const { tools, skipped } = readOpenApi(tool, env, openApi);
    return { tools: tools.map(({ operation, documents }) => toReadTool(operation, documents)), skipped };
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    return { fault: { code: error.code, message: error.message } };
  }
}

function toReadTool(operation: string | null, { tool, callflows, variables }: Documents): ReadTool {
  return {
    operation,
    name: tool.name,
    documents: {
      toolJson: JSON.stringify(tool),
      callflowsJson: JSON.stringify(callflows),
      variables,
      callflows: callflows.map(({ id, name }) => ({ id, name })),
      scripts: callflows.flatMap(({ nodes }, at) => scriptsIn(nodes, at)),
    },
  };
}
