import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { Reads } from '../../platform/database/reads.js';
import { type CallsWanted, callsWanted } from './calls-wanted.js';
import { CSV_HEAD, toCsvLine } from './csv.js';
import type { ExportQuery } from './ledger-export.schema.js';
import { countMatching, matchingOf } from './matching.js';
import { findPage, plannedIfAlike } from './page-finding.js';
import type { PageWanted, Position } from './store.page.js';
import { renderEachSummary, type RenderedRow } from './store.rendering.js';

const CHUNK: PageWanted = { sortBy: 'timestamp', sortOrder: 'asc', limit: 1_000, offset: 0 };

/**
 * All calls that match, oldest first, as a stream that is as fast as its reader. It goes from page to page by the last
 * call of each: no connection is held while the reader takes its time, and the memory is that of one page.
 */
@Injectable()
export class LedgerExport {
  constructor(private readonly reads: Reads) {}

  lines(projectId: Id<'project'>, query: ExportQuery): Readable {
    return this.stream(callsWanted(projectId, query), '', (call) => `${call}\n`);
  }

  csv(projectId: Id<'project'>, query: ExportQuery): Readable {
    return this.stream(callsWanted(projectId, query), CSV_HEAD, toCsvLine);
  }

  private stream(wanted: CallsWanted, head: string, toLine: (call: string) => string): Readable {
    const request = currentRequest();
    const chunks = this.chunks(wanted, head, toLine, () => request?.throwIfAborted());
    return Readable.from(chunks, { highWaterMark: 1 });
  }

  private async *chunks(
    wanted: CallsWanted,
    head: string,
    toLine: (call: string) => string,
    throwIfAborted: () => void,
  ): AsyncGenerator<Buffer> {
    // How many match decides how they are found; that stays, however many are left.
    const total = await this.reads.together(async (ask) => countMatching(ask, await matchingOf(ask, wanted)));
    let position: Position | undefined;
    for (;;) {
      throwIfAborted();
      const rows = await this.rowsBehind(wanted, total, position);
      const text = (position ? '' : head) + rows.map((row) => toLine(row.text)).join('');
      if (text) yield Buffer.from(text);
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK.limit) return;
      position = { value: 0, time: last.ts, id: last.id };
    }
  }

  private rowsBehind(wanted: CallsWanted, total: number, position: Position | undefined): Promise<RenderedRow[]> {
    return this.reads.together(async (ask) => {
      const matching = await matchingOf(ask, wanted);
      const rows = await findPage(ask, matching, CHUNK, total, position);
      return ask<RenderedRow>(plannedIfAlike(matching, CHUNK, renderEachSummary(wanted.projectId, rows)));
    });
  }
}
