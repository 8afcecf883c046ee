import { randomBytes } from 'node:crypto';
import { administratorOf } from '../support/actors.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { Collector } from './collector.js';

const collector = await Collector.start();
const service = await startService();
afterAll(async () => {
  await service.stop();
  await collector.stop();
});

const TRACES = 40;
const idsOfTraces = () => Array.from({ length: TRACES }, () => randomBytes(16).toString('hex'));

it('records a share of the traces, each as a whole, and none that its caller leaves out', async () => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0.5' };
  const sampled = await startProcess({ ...service.settings, ...settings });
  const administrator = administratorOf(sampled);
  const [ids, leftOut] = [idsOfTraces(), idsOfTraces()];
  const request = (traceId: string, flags: string) => {
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
    return administrator.get('/api/admin/v1/projects', { headers: { traceparent } });
  };
  // Each trace has two requests.
  for (const id of [...ids, ...ids]) expect((await request(id, '01')).status).toBe(200);
  for (const id of leftOut) await request(id, '00');
  await sampled.stop();

  const requestsOf = (wanted: string) =>
    collector.spans.filter(({ name, traceId }) => name.startsWith('GET /api') && toHex(traceId) === wanted).length;
  const counts = ids.map(requestsOf);
  expect(new Set(counts)).toEqual(new Set([0, 2]));
  const recorded = counts.filter(Boolean).length;
  // The ids are random. One in ten million runs is beyond these bounds.
  expect(recorded).toBeGreaterThan(TRACES * 0.1);
  expect(recorded).toBeLessThan(TRACES * 0.9);
  expect(leftOut.map(requestsOf)).toEqual(leftOut.map(() => 0));
});

function toHex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}
