import type { Span } from '../../../kernel/spans.js';
import { ledgerErrors } from '../ledger.errors.js';
import { sourcesToFind, subtypesToFind } from '../spellings.js';

/** The filters as the request has them. */
export interface GivenFilters {
  fromDate: Date;
  toDate: Date;
  sessionIds?: string[] | undefined;
  channel?: string | undefined;
  source?: string | undefined;
  sourceSubtype?: string | undefined;
  status?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  environment?: string | undefined;
  name?: string | undefined;
  channelType?: string | undefined;
}

/** The values that match in each column of `ledger_dim`; null for a column without a filter. */
export interface DimFilter {
  channel: string | null;
  channelType: string | null;
  sources: string[] | null;
  subtypes: string[] | null;
  status: string | null;
  model: string | null;
  provider: string | null;
  environment: string | null;
  name: string | null;
}

/** The calls of a project that a request asks for. Null means that there is no such filter. */
export interface CallsWanted extends Span {
  projectId: string;
  sessionIds: string[] | null;
  filter: DimFilter | null;
}

const NEVER_EMPTY = ['channel', 'source', 'sourceSubtype', 'model', 'provider', 'environment'] as const;

export function callsWanted(projectId: string, given: GivenFilters): CallsWanted {
  const { fromDate, toDate, sessionIds } = given;
  return { projectId, from: fromDate, to: toDate, sessionIds: sessionIds ?? null, filter: filterOf(given) };
}

/** Returns the values that match, or null if there is no filter. */
export function filterOf(given: GivenFilters): DimFilter | null {
  refuseBadFilters(given);
  const { source, sourceSubtype } = given;
  const filter: DimFilter = {
    channel: given.channel ?? null,
    channelType: given.channelType ?? null,
    sources: source === undefined ? null : sourcesToFind(source),
    subtypes: sourceSubtype === undefined ? null : subtypesToFind(sourceSubtype, source),
    status: given.status ?? null,
    model: given.model ?? null,
    provider: given.provider ?? null,
    environment: given.environment ?? null,
    name: given.name ?? null,
  };
  const isFiltered = Object.values(filter).some((value) => value !== null);
  return isFiltered ? filter : null;
}

export function refuseBadFilters(given: GivenFilters): void {
  const empty = NEVER_EMPTY.filter((name) => given[name] === '');
  if (empty.length > 0) throw ledgerErrors.invalidFilter({ names: empty.join(', ') });
  if (given.status !== undefined && given.status !== 'success' && given.status !== 'failed') {
    throw ledgerErrors.invalidStatus();
  }
}
