import { usePlainValidationMessages } from '../../../kernel/validation-messages.js';
import type { EnvDocument } from './documents.schema.js';
import { DocumentFault, readDocuments } from './documents.js';
import { type FoundScript, scriptsIn } from './flow.js';

export interface ReadRequest {
  tool: Uint8Array;
  flow: Uint8Array;
  env: Uint8Array | null;
}

/** The parts of the documents that the import needs as values. The rest is passed on as text. */
export interface ReadDocuments {
  toolJson: string;
  callflowsJson: string;
  variables: EnvDocument['variables'];
  callflows: { id: string; name: string }[];
  scripts: FoundScript[];
}

export type ReadAnswer = ReadDocuments | { fault: { code: string; message: string } };

usePlainValidationMessages();

/** Reads the documents of a stranger's tool, in a compute thread. */
export default function read({ tool, flow, env }: ReadRequest): ReadAnswer {
  try {
    const { tool: described, callflows, variables } = readDocuments(tool, flow, env);
    return {
      toolJson: JSON.stringify(described),
      callflowsJson: JSON.stringify(callflows),
      variables,
      callflows: callflows.map(({ id, name }) => ({ id, name })),
      scripts: callflows.flatMap(({ nodes }, at) => scriptsIn(nodes, at)),
    };
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    return { fault: { code: error.code, message: error.message } };
  }
}
