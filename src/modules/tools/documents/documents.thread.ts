import { usePlainValidationMessages } from '../../../kernel/validation-messages.js';
import { type OpenApiChoice, readOpenApi, type SkippedOperation } from '../openapi/open-api-tools.js';
import { type EnvDocument, flowDocument } from './documents.schema.js';
import { type DocumentBytes, DocumentFault, type Documents, type FlowSchema, readDocuments } from './documents.js';
import { type FoundScript, scriptsIn } from './flow.js';
import { type KindAsData, nodeSchemaFrom } from './node-schemas.js';

export interface ReadRequest extends DocumentBytes {
  kinds: readonly KindAsData[];
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

/** A process has the same kinds of nodes as long as it runs. */
let flowSchema: FlowSchema | undefined;

/** Reads the documents of a stranger's tools, in a compute thread. */
export default function read({ kinds, openApi, ...documents }: ReadRequest): ReadAnswer {
  flowSchema ??= flowDocument(kinds.map(nodeSchemaFrom));
  try {
    if (!openApi) return { tools: [toReadTool(null, readDocuments(documents, flowSchema))], skipped: [] };
    const { tools, skipped } = readOpenApi(documents, openApi, flowSchema);
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
