import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { Reads } from '../../../platform/database/reads.js';
import { CallRepository, type RenderedCall } from '../call.repository.js';
import { CallSearch } from './call-search.js';
import { type CallsWanted, callsWanted } from './calls-wanted.js';
import { CSV_HEAD, toCsvLine } from './csv.js';
import type { ExportQuery } from './ledger-export.schema.js';
import type { PageWanted, Position } from './page-plan.js';

const CHUNK: PageWanted = { sortBy: 'timestamp', sortOrder: 'asc', limit: 1_000, offset: 0 };

/**
 * Streams all matching calls, oldest first, as fast as the client reads. Each page begins after the last call of the
 * page before. A slow client therefore occupies no database connection, and the memory is that of one page.
 */
@Injectable()
export class LedgerExport {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
  ) {}

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
    // The plan depends on the number of all matches, so that every page is read in the same way.
    const total = await this.reads.together(async (ask) =>
      this.search.total(ask, await this.search.matching(ask, wanted)),
    );
    let position: Position | undefined;
    for (;;) {
      throwIfAborted();
      const calls = await this.callsAfter(wanted, total, position);
      const text = (position ? '' : head) + calls.map((call) => toLine(call.text)).join('');
      if (text) yield Buffer.from(text);
      if (calls.length < CHUNK.limit) return;
      position = calls.at(-1);
    }
  }

  private callsAfter(wanted: CallsWanted, total: number, position: Position | undefined): Promise<RenderedCall[]> {
    return this.reads.together(async (ask) => {
      const matching = await this.search.matching(ask, wanted);
      return ask(this.calls.eachOfPage(await this.search.plan(ask, matching, CHUNK, total, position)));
    });
  }
}
