import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { MemoryEntryRow } from './memory-entry.entity.js';
import { MemoryEntryRepository } from './memory-entry.repository.js';
import { type LooseCall, SessionRepository } from '../session.repository.js';

/** Something that was said or done in a turn. */
export type Memory = Omit<MemoryEntryRow, 'sessionId'>;

export function toMemory(memory: Omit<Memory, 'tokens'>): Memory {
  return { ...memory, tokens: tokensIn(memory.content) };
}

/** What a session remembers while it lasts: what was said in it, and what that took. */
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

  /** What turns do not add at their ends, such as the call for a summary. False where the session has been erased. */
  addCall(tx: Transaction, sessionId: Id<'session'>, call: LooseCall): Promise<boolean> {
    return tx.ask(this.sessions.addCall(sessionId, call));
  }
}

const BYTES_PER_TOKEN = 3;

/**
 * How many tokens a text takes, without knowing the model: rather too many than too few. A token of common models is
 * about four bytes of English, and rarely less than three of any other text.
 */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** What large models count for an image of the usual size. */
const TOKENS_OF_AN_IMAGE = 1_600;
/** Of sound, of pictures that move, and of documents that have to be opened first. */
const BYTES_PER_TOKEN_OF_OTHERS = 100;

/** Without reading it: an image as images are counted, text by its length, anything else by a hundredth of its bytes. */
export function tokensInFile(mediaType: string, bytes: number): number {
  if (mediaType.startsWith('image/')) return TOKENS_OF_AN_IMAGE;
  if (isText(mediaType)) return Math.ceil(bytes / BYTES_PER_TOKEN);
  return Math.ceil(bytes / BYTES_PER_TOKEN_OF_OTHERS);
}

/** Whether the content can be said to a model as text. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(json|x-ndjson)\b/.test(mediaType);
}
