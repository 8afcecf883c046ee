import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { Database } from '../../../platform/database/database.js';
import { openTransaction } from '../../../platform/database/open-transaction.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { CallRepository } from '../call.repository.js';
import {
  callNumbers,
  hasCitus,
  insertKeys,
  insertNumbered,
  type NumberedCall,
  payloadRules,
} from './cluster-writing.statements.js';
import { type Dim, dimsOf, type StoredCall } from './stored-call.js';

/** Adds calls to the ledger: in one statement or, on a Citus cluster, in two packets of statements. */
@Injectable()
export class CallAdding implements OnModuleInit {
  private isOnCluster = false;

  constructor(
    private readonly database: Database,
    private readonly calls: CallRepository,
  ) {}

  async onModuleInit(): Promise<void> {
    this.isOnCluster = await this.database.ask(hasCitus());
  }

  /**
   * Returns the `callId`s of the calls that the project did not have yet. An open transaction is joined. The writes of
   * `alongside` are sent with it; see `CallRepository.add`.
   */
  add(
    projectId: string,
    calls: readonly StoredCall[],
    alongside: readonly Statement<unknown>[] = [],
    dims: readonly Dim[] = dimsOf(calls),
  ): Promise<string[]> {
    if (!this.isOnCluster) return this.database.ask(this.calls.add(projectId, calls, alongside, dims));
    const actor = openTransaction.getStore()?.actor ?? SYSTEM;
    return this.database.transaction(actor, async (tx) => {
      if (alongside.length > 0) await tx.askAll(alongside);
      return addOnCluster(tx, projectId, calls, dims);
    });
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
  if (numbered.length > 0) await tx.askAll(insertNumbered(projectId, numbered, dims));
  return added;
}
