import type { LedgerQuery } from '../../resources/ledger.js';
import type { Schemas } from '../../place.js';
import type { Slipway } from '../../slipway.js';
import { countOf, oneAction, UsageError, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

const FILTERS = ['model', 'provider', 'environment', 'source', 'status'] as const;

export const ledger: Command = {
  summary: 'Shows model calls with their tokens and their cost, and the totals of all that match.',
  notes: 'Without times, it shows the last 24 hours. With --csv, it has all calls that match, the oldest first.',
  ...oneAction('ledger', {
    usage: [
      'slipway ledger [--from TIME] [--to TIME] [--limit 20 | --csv]',
      '               [--model M] [--provider P] [--environment E] [--source S] [--status success|failed]',
    ].join('\n'),
    words: [],
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      limit: { type: 'string' },
      csv: { type: 'boolean' },
      ...Object.fromEntries(FILTERS.map((name) => [name, { type: 'string' as const }])),
    },
    excludes: [
      ['csv', 'json'],
      ['csv', 'limit'],
    ],
    async run(call) {
      const query = queryOf(call);
      const limit = countOf(call, 'limit', 20);
      const slipway = await call.slipway();
      if (call.isSet('csv')) return writeCsv(slipway, query, call);
      const [page, { groups }] = await Promise.all([
        newest(slipway, query, limit),
        slipway.ledger.summary({ ...query, groupBy: 'provider' }),
      ]);
      const totals = sumOf(groups);
      if (call.isJson) return call.terminal.json({ calls: page, totals });
      call.terminal.say(table(TITLES, page.map(rowOf)));
      const { calls, totalTokens, cost } = totals;
      call.terminal.say(`\n${calls} calls, ${totalTokens} tokens, cost ${cost.toFixed(6)}`);
    },
  }),
};

const TITLES = ['TIME', 'MODEL', 'AGENT', 'STATUS', 'INPUT', 'OUTPUT', 'MS', 'COST'];

function rowOf(call: Schemas['LlmCall']) {
  const { timestamp, model, agentName, status, inputTokens, outputTokens, latencyMs, cost } = call;
  return [timestamp, model, agentName, status, inputTokens, outputTokens, latencyMs, cost];
}

function queryOf(call: Invocation): LedgerQuery {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, call.text(name)]));
  return { ...filters, fromDate: timeOf(call, 'from'), toDate: timeOf(call, 'to') };
}

function timeOf(call: Invocation, option: string): Date | undefined {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--${option} takes a time such as 2026-01-31T09:00:00Z.`);
  return time;
}

async function newest(slipway: Slipway, query: LedgerQuery, limit: number): Promise<Schemas['LlmCall'][]> {
  const calls: Schemas['LlmCall'][] = [];
  if (limit === 0) return calls;
  const pages = slipway.ledger.calls({ ...query, sortOrder: 'desc', limit: Math.min(limit, 100) });
  for await (const call of pages) {
    calls.push(call);
    if (calls.length === limit) break;
  }
  return calls;
}

function sumOf(groups: Schemas['LlmLedgerGroup'][]) {
  const sum = (member: 'calls' | 'totalTokens' | 'cost') => groups.reduce((total, group) => total + group[member], 0);
  return { calls: sum('calls'), totalTokens: sum('totalTokens'), cost: sum('cost') };
}

async function writeCsv(slipway: Slipway, query: LedgerQuery, { terminal }: Invocation): Promise<void> {
  const reader = (await slipway.ledger.csv(query)).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    await terminal.write(value);
  }
}
