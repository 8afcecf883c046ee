import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { QUEUES } from '../../src/kernel/queues.js';
import { administratorOf } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { type Sample, readSamples } from '../support/metrics.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { type Accepted, bodyFor, MESSAGE, openChannel, replyTo } from '../webhooks/channel.js';
import { hasPrometheus, type Prometheus, startPrometheus } from './prometheus.js';
import { adapterRules, alerts, panels, pathOf, type Query, RULES, selectedBy, TESTS_OF_RULES } from './queries.js';

/** Prometheus adds such a sample to each scrape, and its labels to all others. The last two are those of the chart. */
const OF_PROMETHEUS: Sample = {
  name: 'up',
  labels: { job: 'slipway', instance: 'a:3000', namespace: 'apps', app_kubernetes_io_instance: 'shop' },
  value: 1,
};

/** A service has these if its ledger is on a Citus cluster, where test/cluster reads them. */
const OF_CLUSTER: Sample = { name: 'slipway_citus_worker_up', labels: { worker: '10.0.0.7:5432' }, value: 1 };

const service = await startService();
const receiver = await Receiver.start();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

/** The samples of a process that has done nothing yet. */
const atFirst = await readSamples(service);

/** The samples after a message whose answer was called back, so that each metric has some. */
const samples = new Map<string, Set<string>>();
beforeAll(async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url() });
  const { body } = await channel.tenant.api.post<Accepted>(MESSAGE, bodyFor(channel, { message: 'Hello' }));
  await replyTo(receiver, body);
  for (const { name, labels } of [...(await readSamples(service)), OF_PROMETHEUS, OF_CLUSTER]) {
    const known = samples.get(name) ?? new Set(Object.keys(OF_PROMETHEUS.labels));
    samples.set(name, known.union(new Set(Object.keys(labels))));
  }
});

const named = (queries: Query[]) => queries.map((query) => [query.of, query] as const);

describe.each([
  ['alert', named(alerts())],
  ['panel', named(panels())],
  ['metric for autoscalers', named(adapterRules())],
])('the query of the %s', (_, queries) => {
  it.each(queries)('%s asks for what the service exports', (_of, query) => {
    const { metrics, labels, faults } = selectedBy(query);
    expect(faults).toEqual([]);
    expect(metrics).not.toEqual([]);
    expect(metrics.filter((metric) => !samples.has(metric))).toEqual([]);
    const known = metrics.flatMap((metric) => [...samples.get(metric)!]);
    expect(labels.filter((label) => !known.includes(label))).toEqual([]);
  });
});

describe('before there is any job or request', () => {
  const namesAtFirst = new Set(atFirst.map(({ name }) => name));

  it.each(adapterRules())('the Prometheus adapter finds $of', ({ of, foundBy }) => {
    const { metrics, faults } = selectedBy({ of, text: foundBy });
    expect(faults).toEqual([]);
    expect(metrics.filter((metric) => !namesAtFirst.has(metric))).toEqual([]);
  });

  it.each(QUEUES)('an autoscaler that follows the queue %s has numbers', (queue) => {
    const ofQueue = atFirst.filter(({ labels }) => labels.queue === queue);
    const due = ofQueue.filter(({ name, labels }) => name === 'slipway_jobs' && labels.state === 'due');
    expect(due).not.toEqual([]);
    expect(ofQueue.filter(({ name }) => name === 'slipway_jobs_oldest_seconds')).toHaveLength(due.length);
  });
});

it('each alert is explained, and no other', () => {
  const explained = [...readFileSync(pathOf('docs/operate.md'), 'utf8').matchAll(/^\| `(Slipway\w+)`/gm)];
  expect(explained.map(([, alert]) => alert)).toEqual(alerts().map(({ of }) => of));
});

it('the grammar refuses what is no query', () => {
  expect(selectedBy({ of: 'nothing', text: 'sum(rate(up[5m])' }).faults).not.toEqual([]);
  expect(selectedBy({ of: 'nothing', text: 'max by (name) (up{job="a"})' })).toEqual({
    metrics: ['up'],
    labels: ['name', 'job'],
    faults: [],
  });
});

// Skipped where Prometheus is not installed, because no package of npm brings it. The queries themselves are checked above.
(hasPrometheus ? describe : describe.skip)('in Prometheus itself', () => {
  let prometheus: Prometheus;
  const isOneValue = (values: number[]) => values.length === 1;
  beforeAll(async () => {
    prometheus = await startPrometheus(service.url, OF_PROMETHEUS.labels, RULES);
    await eventually(() => prometheus.query('sum(slipway_info)'), isOneValue);
  });
  afterAll(() => prometheus.stop());

  it.each(adapterRules())('$of is found and has one value', async ({ of, text, foundBy }) => {
    expect(await prometheus.countSeries(foundBy)).toBe(1);
    const [value] = await eventually(() => prometheus.query(text), isOneValue);
    expect(value).toBeGreaterThanOrEqual(0);
    expect(await prometheus.query(text.replaceAll('"shop"', '"another"'))).toEqual(
      of === 'slipway_http_p95_seconds' ? [0] : [],
    );
  });

  it('slipway_http_p95_seconds follows the requests', async () => {
    const { text } = adapterRules().find(({ of }) => of === 'slipway_http_p95_seconds')!;
    const askAndQuery = async () => {
      await administratorOf(service).get('/api/admin/v1/processes');
      return prometheus.query(text);
    };
    await eventually(askAndQuery, ([value]) => value! > 0);
  });

  it.each(named([...alerts(), ...panels()]))('%s is answered', async (_of, { text }) => {
    expect(await prometheus.query(text)).toBeInstanceOf(Array);
  });

  it('each alert is evaluated', async () => {
    const areAll = (rules: { health: string }[]) => rules.every(({ health }) => health !== 'unknown');
    const rules = await eventually(() => prometheus.rules(), areAll);
    expect(rules).toEqual(alerts().map(({ of }) => ({ name: of, health: 'ok' })));
  });
});

const promtool = process.env.PROMTOOL ?? 'promtool';
const hasPromtool = spawnSync(promtool, ['--version']).status === 0;

// No package of npm brings promtool, so a machine without Prometheus cannot run it. The tests above parse all queries.
(hasPromtool ? it : it.skip)('Prometheus accepts the rules, and they fire as their tests say', () => {
  execFileSync(promtool, ['check', 'rules', RULES]);
  execFileSync(promtool, ['test', 'rules', TESTS_OF_RULES]);
});
