import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { MemoryEntryRow } from './memory-entry.entity.js';
import { MemoryEntryRepository } from './memory-entry.repository.js';
import { SessionRepository } from '../session.repository.js';
import { tokensIn } from './tokens.service.js';

/** Something that was said or done in a turn. */
export type Memory = Omit<MemoryEntryRow, 'sessionId'>;

export function toMemory(memory: Omit<Memory, 'tokens'>): Memory {
  return { ...memory, tokens: tokensIn(memory.content) };
}

/** What a session remembers while it lasts. */
@Injectable()
export class SessionMemory {
  constructor(
    private readonly database: Database,
    private readonly entries: MemoryEntryRepository,
    private readonly sessions: SessionRepository,
  ) {}

  /** Nothing is remembered of a session that has ended. */
  remember(sessionId: Id<'session'>, memory: Omit<Memory, 'tokens'>): Statement<void> {
    return this.entries.add({ ...toMemory(memory), sessionId });
  }

  /** The same for who has locked the session, and may change it in the same statement. */
  rememberInLocked(sessionId: Id<'session'>, memory: Omit<Memory, 'tokens'>): Statement<void> {
    return this.entries.addInLocked({ ...toMemory(memory), sessionId });
  }

  /** All up to this turn, in order. */
  upTo(sessionId: Id<'session'>, turn: number): Promise<Memory[]> {
    return this.database.ask(this.entries.upTo(sessionId, turn));
  }

  ofTurn(sessionId: Id<'session'>, turn: number): Statement<Memory[]> {
    return this.entries.ofTurn(sessionId, turn);
  }

  /** A summary replaces all turns up to this one. */
  async condense(tx: Transaction, sessionId: Id<'session'>, lastTurn: number, summary: string): Promise<void> {
    tx.defer(this.sessions.lockShared(sessionId));
    tx.defer(this.entries.deleteUpTo(sessionId, lastTurn));
    tx.defer(this.remember(sessionId, { turn: 0, step: 0, kind: 'summary', content: summary }));
  }
}
