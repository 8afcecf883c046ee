// Runs with a complete service in a network namespace of its own, and asks it through its API to call addresses of our
// own side. Prints as JSON how often a canary there was reached.
import { ask } from '../gateway/calls.js';
import { create as createConnection } from '../connections/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { at, NAMES, openForeignNetwork, PORT } from '../platform/foreign-network.mjs';
import { closedUrls } from '../platform/outbound-corpus.mjs';
import { administratorOf, makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import tearDown from '../support/global-teardown.mjs';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { startServers } from '../support/start-servers.mjs';
import { create as createSubscription, deliveries, hasEnded, pathOf } from '../webhooks/subscribe.js';
import { deployedTool, execute, flowOf } from '../tools/make.js';

/** The outcome of many addresses in one member of the API. */
export interface Reached {
  asked: number;
  /** How often the address was accepted, to be called later. */
  taken: number;
  /** The last answer. */
  answer: string;
  canary: number;
  /**
   * The number of connections to public addresses, and of requests on them. Several requests may share a connection.
   */
  foreign: number;
}

type Way = (url: string) => Promise<{ isTaken: boolean; answer: string }>;

const { canary, foreign } = await openForeignNetwork();
// The standard output is for the report, so everything else goes to the standard error output.
console.log = console.error;
await startServers({ durable: false });
const settings = { ...settingsFor(await createDatabase()), OUTBOUND_ALLOW_CIDRS: '', WEBHOOK_SCHEDULE: '0' };
const service = await startProcess(settings);
const admin = administratorOf(service);
const tenant = await makeTenant(service);

const flow = flowOf([{ id: 'call', type: 'http', url: '{{ input.url }}', method: 'GET', timeoutMs: 2_000 }]);
const toolId = await deployedTool(tenant, { flow });
const fields = { BASE_URL: at('public.test'), API_KEY: 'a-key', MODEL_NAME: 'llama' };

const ways: Record<string, Way> = {
  'connection base': (url) => called({ provider: 'API', fields: { ...fields, BASE_URL: url } }),
  'connection endpoint': (url) =>
    called({ provider: 'API', fields, endpointUrl: url, payload: { prompt: '{{ prompt }}' }, outputPath: 'heard' }),
  'tool node': async (url) => {
    const { body, text } = await execute(tenant, toolId, { url });
    return { isTaken: body.status === 'completed', answer: text };
  },
  callback: async (url) => {
    // Callbacks without TLS are only sent to addresses that OUTBOUND_ALLOW_CIDRS opens.
    const callbackUrl = url.replace(/^http:/, 'https:');
    const given = { callbackUrl, appId: tenant.appId, environment: 'production' };
    const { status, body, text } = await createSubscription(service, tenant, given);
    if (status !== 201) return { isTaken: false, answer: text };
    const { subscriptionId } = body.data;
    await admin.post(`${pathOf(subscriptionId)}/test`);
    const tried = await eventually(
      () => deliveries(service, subscriptionId),
      (all) => all.length > 0 && all.every((delivery) => hasEnded(delivery) || delivery.attempts.length > 0),
    );
    return { isTaken: true, answer: JSON.stringify(tried) };
  },
  'sign-in': async (url) => {
    const { status, text } = await makeProfile(service, tenant, { authorizationUrl: url, tokenUrl: url });
    return { isTaken: status === 201, answer: text };
  },
};

async function called(given: object) {
  const { status, body, text } = await createConnection(tenant, given);
  if (status !== 201) return { isTaken: false, answer: text };
  const asked = await ask(tenant, body.connectionId);
  await admin.post(`/api/admin/v1/projects/${tenant.projectId}/connections/${body.connectionId}/test`);
  return { isTaken: true, answer: asked.text };
}

async function reached(way: Way, urls: readonly string[]): Promise<Reached> {
  const before = { canary: canary.connections, foreign: foreign.connections + foreign.requests };
  let taken = 0;
  let last = '';
  for (const url of urls) {
    const { isTaken, answer } = await way(url);
    if (isTaken) taken += 1;
    last = answer;
  }
  return {
    asked: urls.length,
    taken,
    answer: last,
    canary: canary.connections - before.canary,
    foreign: foreign.connections + foreign.requests - before.foreign,
  };
}

const closedNames = Object.keys(NAMES).filter((name) => !/^(public|rebinding)/.test(name));
const closed = [...closedUrls(PORT), ...closedNames.map(at)];
const rebinding = Array.from({ length: 20 }, () => at('rebinding.test'));
const report: Record<string, Record<string, Reached>> = {};
try {
  for (const [name, way] of Object.entries(ways)) {
    report[name] = {
      public: await reached(way, [at('public.test')]),
      closed: await reached(way, closed),
      redirect: await reached(way, [`${at('public.test')}redirect`]),
      rebinding: await reached(way, rebinding),
    };
  }
} finally {
  await service.kill();
  await tearDown();
}
process.stdout.write(JSON.stringify(report), () => process.exit());
