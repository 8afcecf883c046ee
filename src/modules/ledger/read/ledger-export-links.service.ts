import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import type { LinkQuery } from '../../../platform/links/link-query.js';
import { SignedLinks } from '../../../platform/links/signed-links.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { ledgerErrors } from '../ledger.errors.js';
import { refuseBadFilters } from './calls-wanted.js';
import { type ExportFormat, type ExportLinkView, ExportQuery, type MakeExportLink } from './ledger-export.schema.js';

/** The export that a link opens. The filters are in its path, so that the signature covers them. */
export interface LinkedExport {
  projectId: Id<'project'>;
  format: ExportFormat;
  filters: string;
}

/** Signs and checks links to exports. A link works without a key until it expires. */
@Injectable()
export class LedgerExportLinks {
  constructor(
    private readonly links: SignedLinks,
    private readonly tenancy: TenancyService,
  ) {}

  make(projectId: Id<'project'>, { format, ...query }: MakeExportLink): ExportLinkView {
    refuseBadFilters(query);
    const filters = Buffer.from(JSON.stringify(query)).toString('base64url');
    const expires = this.links.endFrom(clock.now());
    return {
      url: this.links.to(pathOf({ projectId, format, filters }), expires),
      expiresAt: new Date(expires * 1000).toISOString(),
    };
  }

  /** Returns the filters of a valid link. The project may have been deleted since the link was made. */
  async open(linked: LinkedExport, { expires, signature }: LinkQuery): Promise<ExportQuery> {
    const { projectId, filters } = linked;
    const fault = this.links.faultOf(pathOf(linked), expires, signature);
    if (fault === 'forged') throw ledgerErrors.linkInvalid({ projectId });
    if (fault === 'expired') throw ledgerErrors.linkExpired({ projectId });
    await this.tenancy.project(projectId);
    return ExportQuery.parse(JSON.parse(Buffer.from(filters, 'base64url').toString()));
  }
}

function pathOf({ projectId, format, filters }: LinkedExport): string {
  return `/api/public/analytics/projects/${projectId}/llm-ledger/export.${format}/${filters}`;
}
