import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { plain, streamed } from '../../platform/route/answer.js';
import { jsonBody, ndjsonBody } from '../../platform/route/body-format.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { rendered } from '../../platform/transfer/rendered-json.js';
import { ledgerErrors } from './ledger.errors.js';
import { LedgerExport } from './read/ledger-export.service.js';
import { ExportQuery } from './read/ledger-export.schema.js';
import { LedgerLatencies } from './read/ledger-latencies.service.js';
import { LatencyQuery, LedgerLatency } from './read/ledger-latency.schema.js';
import { LedgerSummaries } from './read/ledger-summaries.service.js';
import { LedgerSummary, SummaryQuery } from './read/ledger-summary.schema.js';
import { CallQuery, LedgerPage, LedgerQuery, OneCall } from './read/ledger-query.schema.js';
import { LedgerReading } from './read/ledger-reading.service.js';
import { MAX_ROWS, WriteCalls, WrittenView } from './write/ledger-write.schema.js';
import { LedgerWriting } from './write/ledger-writing.service.js';
import { NotCached } from './read/not-cached.js';

const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';
const EXPORT = 'Sends all calls that match, oldest first and without payloads, as a stream.';

@ApiTags('LLM ledger')
@Controller()
export class LedgerController {
  constructor(
    private readonly reading: LedgerReading,
    private readonly writing: LedgerWriting,
    private readonly summaries: LedgerSummaries,
    private readonly latencies: LedgerLatencies,
    private readonly exports: LedgerExport,
  ) {}

  @Route(`GET ${LEDGER}`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'List the LLM calls of a project, one row per call',
    operationId: 'listPublicLlmLedger',
    description:
      'Filters are combined with AND and match exactly. In full mode an answer has at most 1 MiB, so it may have fewer rows than requested, and `hasMore` says whether there are more. The header `x-next-cursor` is then the `cursor` of the next request.',
    returns: rendered(LedgerPage, { 'x-next-cursor': 'The `cursor` for the rows after these.' }),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus, ledgerErrors.responseTooLarge],
  })
  @NotCached()
  async listPublicLlmLedger(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: LedgerQuery }) query: LedgerQuery,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { json, nextCursor } = await this.reading.page(projectId, query);
    if (nextCursor !== undefined) response.setHeader('x-next-cursor', nextCursor);
    return json;
  }

  @Route(`GET ${LEDGER}/summary`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'Sum up the LLM calls of a project by day, model or another member',
    returns: plain(LedgerSummary),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus, ledgerErrors.tooManyIntervals],
  })
  @NotCached()
  summary(@PathId('project') projectId: Id<'project'>, @Query({ schema: SummaryQuery }) query: SummaryQuery) {
    return this.summaries.summary(projectId, query);
  }

  @Route(`GET ${LEDGER}/latency`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'Show the latency of LLM calls and their failures over time',
    description:
      'The answer has the percentiles of the latency and of the time to first token, the number of calls and how many of them failed, for every hour or day of the window. The percentiles are exact, and failed calls are part of them: `status=success` leaves them out.',
    returns: plain(LedgerLatency),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus, ledgerErrors.tooManyIntervals],
  })
  @NotCached()
  latency(@PathId('project') projectId: Id<'project'>, @Query({ schema: LatencyQuery }) query: LatencyQuery) {
    return this.latencies.latency(projectId, query);
  }

  @Route(`GET ${LEDGER}/export.ndjson`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'Export the LLM calls of a project as JSON Lines',
    description: EXPORT,
    returns: streamed('application/x-ndjson', '{"id":"…","model":"gpt-4o"}'),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus],
  })
  @NotCached()
  exportLines(@PathId('project') projectId: Id<'project'>, @Query({ schema: ExportQuery }) query: ExportQuery) {
    return this.exports.lines(projectId, query);
  }

  @Route(`GET ${LEDGER}/export.csv`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'Export the LLM calls of a project as CSV',
    description: `${EXPORT} A text that a spreadsheet would read as a formula gets an apostrophe at its beginning.`,
    returns: streamed('text/csv; charset=utf-8', 'id,model,agentName'),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus],
  })
  @NotCached()
  exportCsv(@PathId('project') projectId: Id<'project'>, @Query({ schema: ExportQuery }) query: ExportQuery) {
    return this.exports.csv(projectId, query);
  }

  @Route(`GET ${LEDGER}/{id}`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    summary: 'Read one LLM call by its id',
    description:
      'The path has the id that the list shows, percent-encoded. In full mode the payload may have any size.',
    returns: rendered(OneCall),
    errors: [ledgerErrors.callNotFound],
  })
  @NotCached()
  one(
    @PathId('project') projectId: Id<'project'>,
    @Param('id') id: string,
    @Query({ schema: CallQuery }) query: CallQuery,
  ) {
    return this.reading.call(projectId, id, query);
  }

  @Route(`POST ${LEDGER}`, {
    access: 'analytics:write',
    rateGroup: 'LEDGER',
    summary: 'Write up to 10,000 LLM calls, all or none of them',
    description:
      'A call whose `callId` the project already has is a duplicate: it is counted and changes nothing. If a row is bad, nothing of the batch is written, and `details.badRows` has the index of each bad row.',
    bodies: [jsonBody(16), ndjsonBody(64, 'generations', MAX_ROWS)],
    rowsValidatedByHandler: 'generations',
    returns: plain(WrittenView),
    status: 201,
    // The `callId` already makes a repeated request harmless: its calls are counted as duplicates.
    takesIdempotencyKey: false,
  })
  async write(
    @CallingKey() actor: KeyActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: WriteCalls }) { generations }: WriteCalls,
  ) {
    return {
      success: true,
      statusCode: 201,
      ...(await this.writing.writeRows(actor, projectId, generations)),
    } as const;
  }
}
