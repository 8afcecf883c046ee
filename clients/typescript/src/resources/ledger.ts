import { linesIn } from '../event-stream.js';
import type { Place, ProjectOptions, Schemas } from '../place.js';
import type { operations } from '../schema.js';
import { bodyOf, type CallOptions, type Transport } from '../transport.js';

type Query = operations['listPublicLlmLedger']['parameters']['query'];
type SummaryQuery = operations['Ledger_summary']['parameters']['query'];
type Window<Full> = Omit<Full, 'fromDate' | 'toDate' | 'cursor'> & {
  /** A day ago, unless given. */
  fromDate?: string | Date;
  /** Now, unless given. */
  toDate?: string | Date;
};

export type LedgerQuery = Window<Query>;
export type LedgerSummaryQuery = Window<SummaryQuery>;
type Options = ProjectOptions & CallOptions;

const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';
const DAY_MS = 86_400_000;
/** The clocks of this machine and of the service may differ. */
const AHEAD_MS = 60_000;

/** Every model call of the project, with its tokens and its cost. */
export class Ledger {
  constructor(
    private readonly http: Transport,
    private readonly place: Place,
  ) {}

  /** Yields the pages of the calls that match. No call is skipped or repeated while others write. */
  async *pages(
    query: LedgerQuery = {},
    options: Options = {},
  ): AsyncGenerator<Schemas['LlmLedgerPage'], void, undefined> {
    const path = { projectId: await this.place.project(options) };
    const window = withDates(query);
    let cursor: string | undefined;
    for (;;) {
      const params = { path, query: { ...window, cursor } };
      const { data, response } = await this.http.api.GET(LEDGER, { params, ...this.http.with(options) });
      yield data!;
      cursor = response.headers.get('x-next-cursor') ?? undefined;
      if (!data!.hasMore || cursor === undefined) return;
    }
  }

  /** Yields the calls that match, one by one. */
  async *calls(query: LedgerQuery = {}, options: Options = {}): AsyncGenerator<Schemas['LlmCall'], void, undefined> {
    for await (const { generations } of this.pages(query, options)) yield* generations;
  }

  async read(id: string, options: Options & { dataMode?: 'summary' | 'full' } = {}): Promise<Schemas['LlmCall']> {
    const path = { projectId: await this.place.project(options), id };
    const params = { path, query: { dataMode: options.dataMode } };
    const { generation } = await bodyOf(this.http.api.GET(`${LEDGER}/{id}`, { params, ...this.http.with(options) }));
    return generation;
  }

  /** Returns the sums of the calls that match, by day, model, provider, agent or another member. */
  async summary(query: LedgerSummaryQuery = {}, options: Options = {}): Promise<Schemas['LlmLedgerSummary']> {
    const params = { path: { projectId: await this.place.project(options) }, query: withDates(query) };
    return bodyOf(this.http.api.GET(`${LEDGER}/summary`, { params, ...this.http.with(options) }));
  }

  /** Writes calls of your own programs. A call that the ledger knows already is counted as a duplicate. */
  async write(
    generations: Schemas['WriteLlmCallsInput']['generations'],
    options: Options = {},
  ): Promise<Schemas['LlmCallsWritten']> {
    return bodyOf(
      this.http.api.POST(LEDGER, {
        params: { path: { projectId: await this.place.project(options) } },
        body: { generations },
        ...this.http.with(options, { isRepeatable: true }),
      }),
    );
  }

  /** Returns all calls that match as CSV, which is read as it arrives. */
  async csv(query: LedgerQuery = {}, options: Options = {}): Promise<ReadableStream<Uint8Array>> {
    const { response } = await this.http.api.GET(`${LEDGER}/export.csv`, {
      params: { path: { projectId: await this.place.project(options) }, query: withDates(query) },
      parseAs: 'stream',
      ...this.http.with(options, { isStream: true }),
    });
    return response.body as ReadableStream<Uint8Array>;
  }

  /** Yields all calls that match, the oldest first, from one answer. */
  async *export(query: LedgerQuery = {}, options: Options = {}): AsyncGenerator<Schemas['LlmCall'], void, undefined> {
    const { response } = await this.http.api.GET(`${LEDGER}/export.ndjson`, {
      params: { path: { projectId: await this.place.project(options) }, query: withDates(query) },
      parseAs: 'stream',
      ...this.http.with(options, { isStream: true }),
    });
    for await (const line of linesIn(response)) yield JSON.parse(line) as Schemas['LlmCall'];
  }
}

function withDates<Given extends Window<object>>({ fromDate, toDate, ...query }: Given) {
  const now = Date.now();
  return {
    ...query,
    fromDate: toText(fromDate ?? new Date(now - DAY_MS)),
    toDate: toText(toDate ?? new Date(now + AHEAD_MS)),
  };
}

function toText(date: string | Date): string {
  return typeof date === 'string' ? date : date.toISOString();
}
