import { randomBytes } from 'node:crypto';
import { COMPLETIONS, connectTo } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor } from '../support/settings.js';
import { Collector } from './collector.js';

const settings = { ...settingsFor(await createDatabase()), LOG_LEVEL: 'warn' };

it('sends as the settings of OpenTelemetry say, and lets a provider go on with the trace', async () => {
  const [collector, provider] = [await Collector.start(), await ModelDouble.start()];
  const service = await startProcess({
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=not ours',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const tenant = await makeTenant(service);
  const traceId = randomBytes(16).toString('hex');
  const model = await connectTo(tenant, provider);
  const call = { model, messages: [{ role: 'user', content: 'Hello' }] };
  const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
  expect((await tenant.api.post(COMPLETIONS, call, { headers })).status).toBe(200);
  // Spans come soon, and not only when the process ends.
  await eventually(() => collector.spans.some(({ name }) => name.startsWith('chat ')));
  expect(provider.last.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-`));
  expect(new Set(collector.spans.map(({ resource }) => resource['deployment.environment.name']))).toEqual(
    new Set(['staging']),
  );
  expect(new Set(collector.spans.map(({ resource }) => resource['service.name']))).toEqual(new Set(['slipway']));
  expect(collector.traceBytes).toHaveLength(collector.spans.length);
  expect(new Set(collector.headers.map((sent) => sent['content-encoding']))).toEqual(new Set(['gzip']));
  await Promise.all([service.stop(), collector.stop(), provider.stop()]);
});

it('waits no longer for a collector than OTEL_EXPORTER_OTLP_TIMEOUT', async () => {
  const collector = await Collector.start({ isSilent: true });
  const service = await startProcess({
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  expect((await new Client(service.url).get('/docs')).status).toBe(200);
  // Without the setting, an export may take ten seconds.
  await eventually(() => service.output().includes('Telemetry was not sent'), Boolean, 5_000);
  await Promise.all([service.stop(), collector.stop()]);
});
