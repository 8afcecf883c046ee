import { makeKeyWith, type Tenant } from '../support/actors.js';
import type { Samples, World } from '../support/samples.js';
import { user } from '../sessions/make.js';
import { beginSignIn, goToProvider, makeProfile, tokenEndpoint } from './sign-in.js';
import { fieldsIn, Visitor } from './visitor.js';
import { activate, makeActiveAgent, makeAgent, say } from './make.js';

const ADMIN = '/api/admin/v1/apps/{appId}';
const AGENTS = `${ADMIN}/agents`;
const AGENT = `${AGENTS}/{agentId}`;
const AT = `${ADMIN}/environments/{envName}`;
const PROFILE = `${ADMIN}/auth-profiles/{profileId}`;
const RUNS = '/api/v2/apps/{appId}/environments/{envName}/runs';

export const samples: Samples = {
  [`POST ${AGENTS}`]: ({ tenant: { appId } }: World) => ({
    params: { appId },
    body: { name: 'Returns desk', instructions: 'You help customers.' },
  }),
  [`GET ${AGENTS}`]: ({ tenant: { appId } }: World) => ({ params: { appId } }),
  [`GET ${AGENT}`]: async (world: World) => ({ params: await anAgent(world) }),
  [`PATCH ${AGENT}`]: async (world: World) => ({ params: await anAgent(world), body: { instructions: 'Be brief.' } }),
  [`DELETE ${AGENT}`]: async (world: World) => ({ params: await anAgent(world) }),
  [`GET ${AGENT}/versions`]: async (world: World) => ({ params: await anAgent(world) }),
  [`GET ${AGENT}/versions/{versionId}`]: async ({ service, tenant: { appId } }: World) => {
    const { agentId, versionId } = await makeAgent(service, appId);
    return { params: { appId, agentId, versionId } };
  },
  [`POST ${AGENT}/versions/{versionId}/runs`]: async ({ service, tenant: { appId } }: World) => {
    const { agentId, versionId } = await makeAgent(service, appId);
    return { params: { appId, agentId, versionId }, body: { sessionIdentity: [user('customer-17')], input: 'Hello' } };
  },
  [`PUT ${AT}`]: async (world: World) => {
    const { appId, agentId } = await anAgent(world);
    return { params: { appId, envName: 'staging' }, body: { agentId, active: true } };
  },
  [`GET ${AT}/active`]: ({ tenant }: World) => ({ params: place(tenant) }),
  [`GET ${AT}/activations`]: ({ tenant }: World) => ({ params: place(tenant) }),
  [`POST ${AT}/rollback`]: async ({ service, tenant }: World) => {
    await makeActiveAgent(service, tenant);
    const { agentId } = await makeAgent(service, tenant.appId);
    await activate(service, tenant.appId, agentId);
    return { params: place(tenant) };
  },
  [`POST ${RUNS}`]: async ({ service, tenant }: World) => {
    await makeActiveAgent(service, tenant);
    return { params: place(tenant), body: { sessionIdentity: [user('customer-17')], input: 'Hello' } };
  },
  [`GET ${RUNS}/{runId}`]: async ({ service, tenant }: World) => {
    await makeActiveAgent(service, tenant);
    const { api } = await makeKeyWith(service, tenant, ['RUN_API']);
    const { runId } = (await say({ ...tenant, api }, `sample-${Math.random()}`, 'Hello')).body;
    return { params: { ...place(tenant), runId } };
  },
  [`POST ${ADMIN}/auth-profiles`]: ({ tenant: { appId } }: World) => ({
    params: { appId },
    body: {
      idpName: 'Company login',
      authorizationUrl: 'https://login.example.com/authorize',
      tokenUrl: 'https://login.example.com/token',
      clientId: 'slipway',
      clientSecret: 'given by the provider',
      scopes: ['openid', 'offline_access'],
    },
  }),
  [`GET ${ADMIN}/auth-profiles`]: ({ tenant: { appId } }: World) => ({ params: { appId } }),
  [`GET ${PROFILE}`]: async (world: World) => ({ params: await aProfile(world) }),
  [`PATCH ${PROFILE}`]: async (world: World) => ({ params: await aProfile(world), body: { scopes: 'openid email' } }),
  [`DELETE ${PROFILE}`]: async (world: World) => ({ params: await aProfile(world) }),
  'GET /auth/idp/{state}': async (world) => {
    await makeProfile(world.service, world.tenant);
    const { state } = await beginSignIn(world.service, world.tenant);
    return { params: { state } };
  },
  'POST /auth/idp/{state}': async (world) => {
    await makeProfile(world.service, world.tenant);
    const { address, state, code = '' } = await beginSignIn(world.service, world.tenant);
    const visitor = new Visitor();
    const { html } = await visitor.open(address.href);
    return {
      params: { state },
      headers: { cookie: visitor.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      rawBody: new URLSearchParams({ ...fieldsIn(html), code }).toString(),
    };
  },
  'GET /auth/idp/callback': async (world) => {
    await makeProfile(world.service, world.tenant, { tokenUrl: await tokenEndpoint() });
    const { visitor, state } = await goToProvider(world.service, world.tenant);
    return { query: { state, code: 'given' }, headers: { cookie: visitor.cookie } };
  },
};

async function aProfile({ service, tenant }: World) {
  const { body } = await makeProfile(service, tenant);
  return { appId: tenant.appId, profileId: body.data.profileId };
}

async function anAgent({ service, tenant: { appId } }: World) {
  return { appId, agentId: (await makeAgent(service, appId)).agentId };
}

function place({ appId }: Tenant) {
  return { appId, envName: 'production' };
}
