import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { ComputeFailure, computeTask } from '../../../platform/compute/compute-task.js';
import { Scripts } from '../scripts/scripts.js';
import { DOCUMENT_REASONS } from '../tools.reasons.js';
import { DocumentFault } from './documents.js';
import type { ReadAnswer, ReadDocuments, ReadRequest, ReadTools } from './documents.thread.js';
import type { FoundScript } from './flow.js';
import { kindsAsData } from './known-nodes.js';

const task = computeTask<ReadRequest, ReadAnswer>('documents', import.meta.url);

/** The time in which the three documents of a tool have to be read. */
const READ_MS = 10_000;
/** A published document may have many MiB, and each of its operations is checked like a document of ours. */
const READ_OPENAPI_MS = 30_000;

export type ReadAsk = Omit<ReadRequest, 'kinds'>;

interface Requester {
  projectId: Id<'project'>;
  signal: AbortSignal;
}

/**
 * Reads documents of strangers in a compute thread, which can be terminated. Throws a DocumentFault that says what is
 * wrong with them.
 */
@Injectable()
export class DocumentReader {
  /** No code of a plugin runs in a thread. It gets the schemas of the nodes as data. */
  private readonly kinds = kindsAsData();

  constructor(
    private readonly compute: ComputePool,
    private readonly scripts: Scripts,
  ) {}

  /** Reads the documents of one tool. */
  async read(documents: Omit<ReadAsk, 'openApi'>, requester: Requester): Promise<ReadDocuments> {
    const { tools } = await this.readTools(documents, requester);
    return tools[0]!.documents;
  }

  /** Reads the documents of one tool, or the operations of an OpenAPI document as a tool each. */
  async readTools(documents: ReadAsk, { projectId, signal }: Requester): Promise<ReadTools> {
    const request = { ...documents, kinds: this.kinds };
    const ms = documents.openApi ? READ_OPENAPI_MS : READ_MS;
    const answer = await this.compute.run(task, request, { projectId, signal, ms }).catch(refuse);
    if ('fault' in answer) throw new DocumentFault(answer.fault.code, answer.fault.message);
    return answer;
  }

  async checkScripts(
    scripts: readonly FoundScript[],
    { projectId, signal }: Requester,
    progress: (done: number) => void,
  ): Promise<void> {
    for (const [done, { code, where }] of scripts.entries()) {
      progress(done / scripts.length);
      const fault = await this.scripts.faultOf(projectId, code, signal);
      if (fault !== undefined) throw new DocumentFault('SCRIPT_INVALID', `The flow document: ${where}.code: ${fault}.`);
    }
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof ComputeFailure)) throw error;
  throw new DocumentFault('DOCUMENTS_TOO_COSTLY', DOCUMENT_REASONS.DOCUMENTS_TOO_COSTLY);
}
