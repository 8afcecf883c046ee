import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { MemoryEntryRow } from './memory-entry.entity.js';
import { MemoryEntryRepository } from './memory-entry.repository.js';
import { type CallOutsideTurns, SessionRepository } from '../session.repository.js';

/** An entry of a session's memory, without the session's id. */
export type Memory = Omit<MemoryEntryRow, 'sessionId'>;

export function toMemory(memory: Omit<Memory, 'tokens'>): Memory {
  return { ...memory, tokens: tokensIn(memory.content) };
}

/** The content of live sessions, which agents read for the next turn. It is deleted when a session is closed. */
@Injectable()
export class SessionMemory {
  constructor(
    private readonly database: Database,
    private readonly entries: MemoryEntryRepository,
    private readonly sessions: SessionRepository,
  ) {}

  /** Adds an entry, unless the session has ended. */
  remember(sessionId: Id<'session'>, memory: Omit<Memory, 'tokens'>): Statement<void> {
    return this.entries.add({ ...toMemory(memory), sessionId });
  }

  /** Adds an entry for a caller that has locked the session, and may update it in the same statement. */
  rememberInLocked(sessionId: Id<'session'>, memory: Omit<Memory, 'tokens'>): Statement<void> {
    return this.entries.addInLocked({ ...toMemory(memory), sessionId });
  }

  /** Returns all entries up to this turn, in order. */
  upTo(sessionId: Id<'session'>, turn: number): Promise<Memory[]> {
    return this.database.ask(this.entries.upTo(sessionId, turn));
  }

  ofTurn(sessionId: Id<'session'>, turn: number): Statement<Memory[]> {
    return this.entries.ofTurn(sessionId, turn);
  }

  /** Replaces all turns up to `lastTurn` by a summary. */
  async condense(tx: Transaction, sessionId: Id<'session'>, lastTurn: number, summary: string): Promise<void> {
    tx.defer(this.sessions.lockShared(sessionId));
    tx.defer(this.entries.deleteUpTo(sessionId, lastTurn));
    tx.defer(this.remember(sessionId, { turn: 0, step: 0, kind: 'summary', content: summary }));
  }

  /**
   * Adds a call that no turn adds at its end, such as the one for a summary. Returns false if the session has been
   * erased.
   */
  addCall(tx: Transaction, sessionId: Id<'session'>, call: CallOutsideTurns): Promise<boolean> {
    return tx.ask(this.sessions.addCall(sessionId, call));
  }
}

const BYTES_PER_TOKEN = 3;

/**
 * Estimates the tokens of a text for any model, rather too high than too low. A token of common models has about four
 * bytes of English text, and rarely less than three bytes of other text.
 */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The tokens that large models count for an image of a common size. */
const TOKENS_OF_AN_IMAGE = 1_600;
/** The estimate for audio, video, and documents that have to be converted first. */
const BYTES_PER_TOKEN_OF_OTHERS = 100;

/** Estimates the tokens of a file by its type and size, without reading it. */
export function tokensInFile(mediaType: string, bytes: number): number {
  if (mediaType.startsWith('image/')) return TOKENS_OF_AN_IMAGE;
  if (isText(mediaType)) return Math.ceil(bytes / BYTES_PER_TOKEN);
  return Math.ceil(bytes / BYTES_PER_TOKEN_OF_OTHERS);
}

/** Whether the content can be sent to a model as text. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(json|x-ndjson)\b/.test(mediaType);
}
