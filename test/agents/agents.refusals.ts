import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import { Client } from '../support/client.js';
import type { Refusals, World } from '../support/samples.js';
import { beginSignIn, goToProvider, makeProfile } from './sign-in.js';
import { fieldsIn, Visitor } from './visitor.js';
import { activate, makeActiveAgent, makeAgent, runsPath, say } from './make.js';

const ADMIN = '/api/admin/v1/apps';

export const refusals: Refusals = {
  AGENT_NOT_FOUND: ({ service, tenant }) => activate(service, tenant.appId, newId('agent')),
  AGENT_VERSION_NOT_FOUND: async ({ service, tenant }) => {
    const { agentId } = await makeAgent(service, tenant.appId);
    return activate(service, tenant.appId, agentId, { versionId: newId('agentVersion') });
  },
  AGENT_ACTIVE: async ({ service, tenant }) => {
    const { agentId } = await makeActiveAgent(service, tenant);
    return administratorOf(service).delete(`${ADMIN}/${tenant.appId}/agents/${agentId}`);
  },
  NOTHING_TO_ROLL_BACK_TO: ({ service, tenant }) =>
    administratorOf(service).post(`${ADMIN}/${tenant.appId}/environments/production/rollback`),
  NO_ACTIVE_DEPLOYMENT: ({ tenant }) => say(tenant, 'nobody', 'Hello'),
  QUEUE_FULL: async ({ service, tenant }) => {
    await makeActiveAgent(service, tenant);
    const { body } = await say(tenant, 'full', 'Hello');
    // Inserts queued runs directly, because the turns of real messages would end before the last message is sent.
    await service.database.rows(
      `insert into run (id, project_id, app_id, session_id, environment, user_id, version_id, state, job_id, channel,
                        is_new_session, is_streamed, trace_id, observation_id, created_at)
       select id || n, project_id, app_id, session_id, environment, user_id, version_id, 'queued', job_id, channel,
              is_new_session, is_streamed, trace_id, observation_id, created_at
       from run, generate_series(1, 101) n where id = $1`,
      [body.runId],
    );
    return say(tenant, 'full', 'Once more');
  },
  AUTH_PROFILE_NOT_FOUND: ({ service, tenant }) =>
    administratorOf(service).get(`${ADMIN}/${tenant.appId}/auth-profiles/${newId('authProfile')}`),
  DUPLICATE_AUTH_PROFILE_NAME: async ({ service, tenant }) => {
    await makeProfile(service, tenant, { idpName: 'Login' });
    return makeProfile(service, tenant, { idpName: 'Login' });
  },
  SIGN_IN_NOT_FOUND: ({ service }) => new Client(service.url).get('/auth/idp/never'),
  SIGN_IN_FORM_REFUSED: (world) => sendForm(world, { token: 'made up' }),
  SIGN_IN_CODE_WRONG: (world) => sendForm(world, { code: 'wrong' }),
  SIGN_IN_TRIES_USED: async (world) => {
    await makeProfile(world.service, world.tenant);
    const { address } = await beginSignIn(world.service, world.tenant);
    const send = await formOf(world, address.href);
    for (let tries = 1; tries < 5; tries += 1) await send({ code: 'wrong' });
    return send({ code: 'wrong' });
  },
  SIGN_IN_OTHER_BROWSER: (world) => comeBack(world, { code: 'given' }, new Visitor()),
  SIGN_IN_OTHER_ISSUER: (world) => comeBack(world, { code: 'given', iss: 'https://another.example.com' }),
  SIGN_IN_REFUSED: (world) => comeBack(world, { error: 'access_denied' }),
  SIGN_IN_FAILED: (world) => comeBack(world, { code: 'given' }),
  AGENT_RUN_NOT_FOUND: ({ tenant }) => tenant.api.get(`${runsPath(tenant)}/${newId('agentRun')}`),
};

async function comeBack({ service, tenant }: World, query: Record<string, string>, other?: Visitor) {
  await makeProfile(service, tenant);
  const { visitor, state } = await goToProvider(service, tenant);
  const { cookie } = other ?? visitor;
  return new Client(service.url, { cookie }).get('/auth/idp/callback', { query: { state, ...query } });
}

async function sendForm(world: World, fields: Record<string, string>) {
  await makeProfile(world.service, world.tenant);
  const { address } = await beginSignIn(world.service, world.tenant);
  const send = await formOf(world, address.href);
  return send(fields);
}

async function formOf({ service }: World, address: string) {
  const visitor = new Visitor();
  const { html } = await visitor.open(address);
  const headers = { cookie: visitor.cookie, 'content-type': 'application/x-www-form-urlencoded' };
  return (fields: Record<string, string>) => {
    const rawBody = new URLSearchParams({ ...fieldsIn(html), ...fields }).toString();
    return new Client(service.url).post(new URL(address).pathname, undefined, { rawBody, headers });
  };
}
