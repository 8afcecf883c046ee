import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { CitusWorkers } from '../../../platform/database/citus-workers.js';
import { Database } from '../../../platform/database/database.js';
import { sendInParts } from '../../../platform/database/in-parts.js';
import { openTransaction } from '../../../platform/database/open-transaction.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { CallRepository } from '../call.repository.js';
import {
  callNumbers,
  insertKeys,
  insertNumbered,
  type NumberedCall,
  payloadRules,
} from './cluster-writing.statements.js';
import { type PartOfBatch, partsOfBatch } from './parts-of-batch.js';
import type { Dim, StoredCall } from './stored-call.js';

/** Adds calls to the ledger: in one statement or, on a Citus cluster, in two packets of statements. */
@Injectable()
export class CallAdding {
  constructor(
    private readonly database: Database,
    private readonly calls: CallRepository,
    private readonly cluster: CitusWorkers,
  ) {}

  /**
   * Adds all calls or none, and returns the `callId`s of those that the project did not have yet. An open transaction is
   * joined. The writes of `alongside` are sent with the first statement; see `CallRepository.add`.
   */
  async add(
    projectId: string,
    calls: readonly StoredCall[],
    alongside: readonly Statement<unknown>[] = [],
  ): Promise<string[]> {
    const parts = partsOfBatch(calls);
    const [first] = parts;
    if (parts.length === 1) return this.addPart(projectId, first!, alongside);
    return this.joined(async () => {
      const addPart = (part: PartOfBatch) => this.addPart(projectId, part, part === first ? alongside : []);
      return (await sendInParts(parts, addPart)).flat();
    });
  }

  private addPart(
    projectId: string,
    { calls, dims }: PartOfBatch,
    alongside: readonly Statement<unknown>[],
  ): Promise<string[]> {
    if (!this.cluster.isCluster) return this.database.ask(this.calls.add(projectId, calls, alongside, dims));
    return this.joined(async (tx) => {
      if (alongside.length > 0) await tx.askAll(alongside);
      return addOnCluster(tx, projectId, calls, dims);
    });
  }

  private joined<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(openTransaction.getStore()?.actor ?? SYSTEM, work);
  }
}

async function addOnCluster(
  tx: Transaction,
  projectId: string,
  calls: readonly StoredCall[],
  dims: readonly Dim[],
): Promise<string[]> {
  const [rules, numbers, added] = await tx.askAll([
    payloadRules(projectId),
    callNumbers(calls.length),
    insertKeys(projectId, calls),
  ]);
  const isNew = new Set(added);
  const isKept = (time: Date) => !rules.drops && (rules.expiredBefore === null || time >= rules.expiredBefore);
  const numbered = calls
    .map((call, at): NumberedCall => {
      const payloadBytes = isKept(call.time) ? Buffer.byteLength(call.payload ?? '') : 0;
      return { call, number: numbers[at]!, payloadBytes };
    })
    .filter(({ call }) => isNew.has(call.callId));
  // The last part of a batch has the combinations of all.
  if (numbered.length > 0 || dims.length > 0) await tx.askAll(insertNumbered(projectId, numbered, dims));
  return added;
}
