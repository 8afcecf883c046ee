import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '../../../kernel/ids.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { LinkQuery } from '../../../platform/links/link-query.js';
import { plain, streamed } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { ledgerErrors } from '../ledger.errors.js';
import { LedgerExportLinks } from './ledger-export-links.service.js';
import { ExportLinkView, MakeExportLink } from './ledger-export.schema.js';
import { LedgerExport } from './ledger-export.service.js';
import { NotCached } from './not-cached.js';

const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';
const OPENED =
  'The address is the signed `url` of the link, whose filters are in its path. The content is that of the export with the same filters.';
const OPENING_ERRORS = [ledgerErrors.linkInvalid, ledgerErrors.linkExpired, authErrors.projectNotFound];

@ApiTags('LLM ledger')
@Controller()
export class LedgerExportLinksController {
  constructor(
    private readonly links: LedgerExportLinks,
    private readonly exports: LedgerExport,
  ) {}

  @Route(`POST ${LEDGER}/export-links`, {
    access: 'analytics:read',
    rateGroup: 'LEDGER',
    right: 'read',
    summary: 'Make a link to an export of the LLM calls of a project',
    description:
      'A browser saves the export from the link without holding it in memory. The link works without a key until it expires, even if the key that made it is revoked.',
    returns: plain(ExportLinkView),
    status: 201,
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus],
    // A link is stored nowhere, so a repeated request has no effect.
    takesIdempotencyKey: false,
  })
  @NotCached()
  make(@PathId('project') projectId: Id<'project'>, @Body({ schema: MakeExportLink }) wanted: MakeExportLink) {
    return this.links.make(projectId, wanted);
  }

  @Route(`GET ${LEDGER}/export.csv/{filters}`, {
    access: 'public',
    summary: 'Download an export of LLM calls as CSV by its link',
    description: OPENED,
    returns: streamed('text/csv; charset=utf-8', 'id,model,agentName', 'calls.csv'),
    errors: OPENING_ERRORS,
  })
  @NotCached()
  async openCsv(
    @PathId('project') projectId: Id<'project'>,
    @Param('filters') filters: string,
    @Query({ schema: LinkQuery }) link: LinkQuery,
  ) {
    return this.exports.csv(projectId, await this.links.open({ projectId, format: 'csv', filters }, link));
  }

  @Route(`GET ${LEDGER}/export.ndjson/{filters}`, {
    access: 'public',
    summary: 'Download an export of LLM calls as JSON Lines by its link',
    description: OPENED,
    returns: streamed('application/x-ndjson', '{"id":"…","model":"gpt-4o"}', 'calls.ndjson'),
    errors: OPENING_ERRORS,
  })
  @NotCached()
  async openLines(
    @PathId('project') projectId: Id<'project'>,
    @Param('filters') filters: string,
    @Query({ schema: LinkQuery }) link: LinkQuery,
  ) {
    return this.exports.lines(projectId, await this.links.open({ projectId, format: 'ndjson', filters }, link));
  }
}
