import { newId } from '../../src/kernel/ids.js';
import { CallPayloadRepository } from '../../src/modules/ledger/call-payload.repository.js';
import { CallRepository } from '../../src/modules/ledger/call.repository.js';
import { ModelPriceRepository } from '../../src/modules/ledger/prices/model-price.repository.js';
import { Repricing } from '../../src/modules/ledger/prices/repricing.entity.js';
import { RepricingRepository } from '../../src/modules/ledger/prices/repricing.repository.js';
import type { DimFilter } from '../../src/modules/ledger/read/calls-wanted.js';
import type { Matching } from '../../src/modules/ledger/read/matching.js';
import type { PageWanted } from '../../src/modules/ledger/read/page-plan.js';
import * as deleting from '../../src/modules/ledger/write/call-deleting.statements.js';
import { LedgerPolicyRepository } from '../../src/modules/ledger/write/ledger-policy.repository.js';
import * as cluster from '../../src/modules/ledger/write/cluster-writing.statements.js';
import * as month from '../../src/modules/ledger/write/month.statements.js';
import { sql } from '../../src/platform/database/sql.js';
import { write } from '../../src/platform/database/statement.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, sessionId] = [newId('project'), newId('session')];
const [from, to] = [new Date('2026-01-01T09:30:00Z'), new Date('2026-01-31T09:30:00Z')];

const [rows, payloads, dims, sums] = cluster.insertNumbered(projectId, [], []);

const unfiltered: DimFilter = {
  channel: null,
  channelType: null,
  sources: null,
  subtypes: null,
  status: null,
  model: null,
  provider: null,
  environment: null,
  name: null,
};
const byTwo = { ...unfiltered, model: 'model', status: 'success' };
const byAll: DimFilter = {
  channel: 'channel',
  channelType: 'type',
  sources: ['source'],
  subtypes: ['subtype'],
  status: 'success',
  model: 'model',
  provider: 'provider',
  environment: 'production',
  name: 'name',
};

const dim = {
  projectId,
  dim: 'dim',
  channel: 'channel',
  channelType: 'type',
  source: 'arch',
  sourceFolded: 'arch',
  subtype: 'subtype',
  status: 'success',
  model: 'model',
  provider: 'provider',
  environment: 'production',
  name: 'name',
};

const all: Matching = { projectId, from, to, dims: null, sessionIds: null };
const filtered: Matching = { ...all, dims: { ids: ['dim'], filter: byTwo } };
const ofAll = { projectIds: null, filter: null };
const someOfAll = { projectIds: null, filter: byTwo };
const ofTwo = { projectIds: [projectId, 'another'], filter: null };
const ofMany: Matching = { ...all, dims: { ids: Array<string>(2_000).fill('dim'), filter: byTwo } };
const ofSession: Matching = { ...all, sessionIds: [sessionId] };
const day = { from: new Date('2026-01-02T00:00:00Z'), to: new Date('2026-01-03T00:00:00Z'), count: 1 };
const hour = { ...all, from: new Date('2026-01-01T09:10:00Z'), to: new Date('2026-01-01T09:50:00Z') };

const newest: PageWanted = { sortBy: 'timestamp', sortOrder: 'desc', limit: 20, offset: 0 };
const dearest: PageWanted = { ...newest, sortBy: 'cost' };
const after = { value: 1, time: from, id: 'id' };
const walk = { strategy: 'walk', matching: all, page: newest } as const;
const sort = { strategy: 'sort', matching: filtered, page: dearest } as const;

const byModel = { groupBy: 'model', interval: 'day', groups: ['gpt-4o', 'none'] } as const;

export const examples: Examples = {
  ...examplesOf(CallPayloadRepository, (payloads) => ({
    deleteOfSession: payloads.deleteOfSession(projectId, sessionId),
  })),
  ...examplesOf(CallRepository, (calls) => ({
    'matchingDims (two filters)': calls.matchingDims(projectId, byTwo),
    'matchingDims (all filters)': calls.matchingDims(projectId, byAll),
    'total (40 minutes)': calls.total(hour),
    'total (30 days)': calls.total(all),
    'total (30 days, two filters)': calls.total(filtered),
    'total (30 days, two filters that match many)': calls.total(ofMany),
    'total (30 days, a session)': calls.total(ofSession),
    'segments (30 days)': calls.segments(all),
    'segments (30 days, two filters)': calls.segments(filtered),
    'hoursOf (a day)': calls.hoursOf(all, day),
    'page (30 days, newest)': calls.page(walk),
    'page (30 days, newest, a later page)': calls.page({ ...walk, after }),
    'page (30 days, far into the newest)': calls.page({
      ...walk,
      strategy: 'skip',
      page: { ...newest, offset: 5_000 },
    }),
    'page (30 days, oldest, a later page)': calls.page({ ...walk, page: { ...newest, sortOrder: 'asc' }, after }),
    'page (30 days, by cost, two filters)': calls.page(sort),
    'page (30 days, by cost, two filters, a later page)': calls.page({ ...sort, after }),
    'page (30 days, by cost, two filters that match many)': calls.page({ ...sort, matching: ofMany }),
    'page (30 days, by cost, a session)': calls.page({ ...sort, matching: ofSession }),
    'pageWithTotal (40 minutes, newest)': calls.pageWithTotal({ ...walk, matching: hour }),
    'eachOfPage (30 days, newest)': calls.eachOfPage(walk),
    'fullPage (30 days, newest)': calls.fullPage(walk, 1_000),
    'one (summary)': calls.one(projectId, 'id', [from], 'summary'),
    'one (full)': calls.one(projectId, 'id', [from], 'full'),
    'sumsByGroup (30 days, by day)': calls.sumsByGroup(all, 'day', 100),
    'sumsByGroup (30 days, by hour)': calls.sumsByGroup(all, 'hour', 1_000),
    'sumsByGroup (30 days, by model)': calls.sumsByGroup(all, 'model', 100),
    'sumsByGroup (30 days, by model, two filters)': calls.sumsByGroup(filtered, 'model', 100),
    'sumsByGroup (30 days, by day, a session)': calls.sumsByGroup(ofSession, 'day', 100),
    'sumsByGroup (30 days, by session)': calls.sumsByGroup(all, 'session', 100),
    'sumsOfAll (by day)': calls.sumsOfAll({ from, to, ...ofAll }, 'day', 10),
    'sumsOfAll (by day, of two projects)': calls.sumsOfAll({ from, to, ...ofTwo }, 'day', 10),
    'sumsOfAll (by model, filtered)': calls.sumsOfAll({ from, to, ...someOfAll }, 'model', 10),
    'sumsByInterval (30 days, by hour)': calls.sumsByInterval(all, { ...byModel, interval: 'hour' }),
    'sumsByInterval (30 days, by day, two filters)': calls.sumsByInterval(filtered, byModel),
    'sumsByInterval (30 days, by day, a session)': calls.sumsByInterval(ofSession, byModel),
    'sumsOfAllByInterval (by day)': calls.sumsOfAllByInterval({ from, to, ...ofAll }, byModel),
    sumsOfProjects: calls.sumsOfProjects([projectId], from),
    'percentiles (an hour)': calls.percentiles(all, [hour]),
    'percentiles (an hour, two filters)': calls.percentiles(filtered, [hour]),
    'percentiles (an hour, two filters that match many)': calls.percentiles(ofMany, [hour]),
    'percentiles (an hour, a session)': calls.percentiles(ofSession, [hour]),
    'percentilesByGroup (an hour, by model)': calls.percentilesByGroup(all, [hour], byModel),
    'percentilesByGroup (an hour, by model, two filters)': calls.percentilesByGroup(filtered, [hour], byModel),
    'percentilesByGroup (an hour, by model, a session)': calls.percentilesByGroup(ofSession, [hour], byModel),
    'percentilesOfAll (an hour)': calls.percentilesOfAll(ofAll, [hour]),
    'percentilesOfAll (an hour, two filters)': calls.percentilesOfAll(someOfAll, [hour]),
    'percentilesOfAll (an hour, of two projects)': calls.percentilesOfAll(ofTwo, [hour]),
    'percentilesOfAllByGroup (an hour, by model)': calls.percentilesOfAllByGroup(ofAll, [hour], byModel),
    'percentilesOfAllByGroup (an hour, by model, two filters)': calls.percentilesOfAllByGroup(
      someOfAll,
      [hour],
      byModel,
    ),
    add: calls.add(projectId, []),
    'add (with two writes)': calls.add(projectId, [], [write(sql`(a write)`), write(sql`(one that comes first)`)]),
    nextToReprice: calls.nextToReprice(exampleRow(Repricing), 100),
    dimsWithChannelOrEnvironment: calls.dimsWithChannelOrEnvironment(100),
    removeChannelAndEnvironment: calls.removeChannelAndEnvironment(dim, 100),
    compactRollup: calls.compactRollup(100),
  })),
  ...examplesOf(ModelPriceRepository, (prices) => ({
    ofProject: prices.ofProject(projectId),
    ofProjectWithPolicy: prices.ofProjectWithPolicy(projectId),
  })),
  ...examplesOf(RepricingRepository, (repricings) => ({
    inProgress: repricings.inProgress('repricing'),
    lock: repricings.lock('repricing'),
    fail: repricings.fail('repricing'),
    countChanged: repricings.countChanged('repricing', 1),
    advance: repricings.advance(exampleRow(Repricing), []),
    reprice: repricings.reprice('project', []),
  })),
  ...examplesOf(LedgerPolicyRepository, (policies) => ({ payloads: policies.payloads(projectId) })),
  payloadRules: cluster.payloadRules(projectId),
  callNumbers: cluster.callNumbers(100),
  insertKeys: cluster.insertKeys(projectId, []),
  'insertNumbered (rows)': rows!,
  'insertNumbered (payloads)': payloads!,
  'insertNumbered (dims)': dims!,
  'insertNumbered (sums)': sums!,
  projectsWithCalls: deleting.projectsWithCalls(),
  hasCallsBefore: deleting.hasCallsBefore(projectId, from),
  deleteCallsBefore: deleting.deleteCallsBefore(projectId, from, 100),
  deleteKeysBefore: deleting.deleteKeysBefore(projectId, from),
  expirePayloads: deleting.expirePayloads({ general: from, ofProjects: new Map([[projectId, to]]) }),
  deleteExpiredPayloads: deleting.deleteExpiredPayloads(projectId, 100),
  'makeMonth (of rows)': month.makeMonth('ledger_row', '2026-01'),
  monthsBefore: month.monthsBefore('ledger_row', from),
  countCallsOfMonth: month.countCallsOfMonth('2026-01'),
  dropCallsOfMonth: month.dropCallsOfMonth('2026-01'),
  dropPayloadsOfMonth: month.dropPayloadsOfMonth('2026-01'),
};
