import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { tokensIn } from './tokens.service.js';

export type MemoryKind = 'summary' | 'user' | 'model' | 'tool' | 'answer';

/** Something that was said or done in a turn. */
export interface Memory {
  turn: number;
  step: number;
  kind: MemoryKind;
  content: string;
  tokens: number;
}

const MEMORY = columns<Memory>({
  turn: 'turn::float8',
  step: 'step',
  kind: 'kind',
  content: 'content',
  tokens: 'tokens',
});

/** What a session remembers while it lasts. */
@Injectable()
export class SessionMemory {
  constructor(private readonly statements: Statements) {}

  /**
   * Nothing is remembered of a session that has ended. Holds the session until the commit, so that whoever forgets it
   * forgets this too.
   */
  async add(em: EntityManager, sessionId: Id<'session'>, memory: Omit<Memory, 'tokens'>): Promise<void> {
    const { turn, step, kind, content } = memory;
    await this.statements.writeIn(
      em,
      planned`
      with live as (select id from session where id = ${sessionId} and ended_at is null for share)
      insert into session_memory (session_id, turn, step, kind, content, tokens)
      select id, ${turn}, ${step}, ${kind}, ${content}, ${tokensIn(content)} from live`,
    );
  }

  /** All up to this turn, in order of the column: `turn` alone would be the number as the program wants it. */
  upTo(sessionId: Id<'session'>, turn: number): Promise<Memory[]> {
    return this.statements.run<Memory>(
      planned`select ${MEMORY} from session_memory
              where session_id = ${sessionId} and turn <= ${turn} order by session_memory.turn, step`,
    );
  }

  ofTurn(sessionId: Id<'session'>, turn: number): Promise<Memory[]> {
    return this.statements.run<Memory>(
      planned`select ${MEMORY} from session_memory where session_id = ${sessionId} and turn = ${turn} order by step`,
    );
  }

  all(sessionId: Id<'session'>): Promise<Memory[]> {
    return this.upTo(sessionId, Number.MAX_SAFE_INTEGER);
  }

  /** In the place of all turns up to this one stands what they came to. */
  async condense(em: EntityManager, sessionId: Id<'session'>, lastTurn: number, summary: string): Promise<void> {
    // A lock may go late too: it is there before what follows it.
    await this.statements.writeIn(em, sql`select from session where id = ${sessionId} for share`);
    await this.statements.writeIn(
      em,
      sql`delete from session_memory where session_id = ${sessionId} and turn <= ${lastTurn}`,
    );
    await this.add(em, sessionId, { turn: 0, step: 0, kind: 'summary', content: summary });
  }
}
