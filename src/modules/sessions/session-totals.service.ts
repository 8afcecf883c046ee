import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

/** A call of a model that is no part of any turn that is still to end. */
export interface LooseCall {
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

/** What turns do not add to their sessions at their ends: such as the call for the summary. */
@Injectable()
export class SessionTotals {
  constructor(private readonly statements: Statements) {}

  /** False where the session has been erased. Holds it until the commit. */
  async add(
    em: EntityManager,
    sessionId: Id<'session'>,
    { inputTokens, outputTokens, cost }: LooseCall,
  ): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      sql`
      update session set llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric
      where id = ${sessionId} returning id`,
    );
    return rows.length > 0;
  }
}
