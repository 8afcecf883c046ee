import { createHmac } from 'node:crypto';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, type DockBody, endedRun, envOf, execute, flowOf, runOf, uploadJson } from './make.js';
import { deploy, importedJob, openApi } from './open-api.js';
import { idToken, TokenServers } from './token-servers.js';

const servers = await new TokenServers().start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  servers.stop();
});
beforeEach(() => {
  servers.asked.length = 0;
  servers.tokensSent.length = 0;
  servers.revoked.clear();
  servers.answer = undefined;
  servers.takesBasic = true;
  servers.challenge = {};
  servers.isEndless = false;
  servers.isSilent = false;
  servers.failingDiscoveries.length = 0;
  servers.discoveries = 0;
});

type Scheme = Record<string, unknown>;
const withFlow = (tokenUrl: string): Scheme => ({
  type: 'oauth2',
  flows: { clientCredentials: { tokenUrl, scopes: { read: 'Reads.', write: 'Writes.' } } },
});

async function imported(login: Scheme, value: string | undefined, security: object[]): Promise<DockBody> {
  const document = openApi({ security, components: { securitySchemes: { login, key: KEY } } });
  const env = value !== undefined && (await uploadJson(tenant, envOf([{ name: 'LOGIN', value, secret: true }])));
  return importedJob(tenant, document, { serverUrl: `${servers.url}/v1`, ...(env && { envVariablesFileId: env }) });
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="tokens"' };
const KEY = { type: 'apiKey', in: 'header', name: 'Authorization' };
let clients = 0;

/** Each tool has a client of its own, whose token no other one has obtained. */
async function deployed(login: Scheme, value = `client-${(clients += 1)}:canary-of-a-secret`): Promise<string> {
  const { toolId, error } = await imported(login, value, [{ login: ['read', 'write'] }]);
  expect(error).toBeUndefined();
  await deploy(tenant, toolId);
  return toolId;
}

it('a client obtains a token for its scopes, and sends it until it expires', async () => {
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'completed', output: { place: 'Oslo' } });
  const [asked] = servers.asked;
  expect(asked!.body).toEqual({ grant_type: 'client_credentials', scope: 'read write' });
  const credentials = Buffer.from(asked!.authorization!.replace(/^Basic /, ''), 'base64').toString();
  expect(credentials.split(':').map(decodeURIComponent)).toEqual([`client-${clients}`, 'canary-of-a-secret']);
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
  expect(servers.asked).toHaveLength(1);
  expect(servers.tokensSent).toEqual(['Bearer canary-token-1', 'Bearer canary-token-1']);
});

it('neither the secret nor the token is in the record of a run, even if the server repeats it', async () => {
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  const { body, text } = await execute(tenant, toolId);
  const run = JSON.stringify(await runOf(tenant, toolId, body.runId));
  expect(run).toContain('received');
  for (const shown of [text, run, await service.database.dump()]) {
    expect(shown).not.toContain('canary-token-1');
    expect(shown).not.toContain('canary-of-a-secret');
  }
});

it('a token that the server repeats stays hidden when another process goes on after a wait', async () => {
  const callback = { url: '{{ callback.url }}', secret: '{{ callback.secret }}' };
  const oauth = { credentials: '{{ env.LOGIN }}', tokenUrl: `${servers.url}/token` };
  const output = { said: '{{ nodes.ask.body.received }}', session: "{{ nodes.ask.headers['set-cookie'] }}" };
  const ask = { id: 'ask', type: 'http', method: 'POST', url: `${servers.url}/v1`, body: callback, oauth };
  const flow = flowOf([ask, { id: 'wait', type: 'wait' }], { end: { output } });
  const env = envOf([{ name: 'LOGIN', value: 'waiting-client:canary-of-a-secret', secret: true }]);
  const toolId = await deployedTool(tenant, { flow, env });
  const { body } = await execute(tenant, toolId);
  expect(body.status).toBe('suspended');
  const { url, secret } = JSON.parse(servers.lastBody) as typeof callback;
  const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`;
  const headers = { 'x-callback-signature': signature };
  await new Client(service.url).send('POST', new URL(url).pathname, { rawBody: '{}', headers });
  const run = await endedRun(tenant, toolId, body.runId);
  expect(run).toMatchObject({
    status: 'completed',
    output: { said: 'Bearer ********', session: 'session-of-a-login' },
  });
  for (const shown of [JSON.stringify(run), await service.database.dump()])
    expect(shown).not.toContain('canary-token-1');
});

it('a token that the server refuses is replaced once', async () => {
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  await execute(tenant, toolId);
  servers.revokeAll();
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
  expect(servers.tokensSent).toEqual(['Bearer canary-token-1', 'Bearer canary-token-1', 'Bearer canary-token-2']);
  servers.answer = { status: 200, body: { access_token: 'canary-token-1', token_type: 'bearer' } };
  servers.revokeAll();
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'HTTP_STATUS' } });
});

it.each([{}, CHALLENGE])('a server that takes no HTTP Basic gets the secret in the body: %j', async (challenge) => {
  servers.takesBasic = false;
  servers.challenge = challenge;
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
  expect(servers.asked.map(({ body }) => body.client_secret)).toEqual([undefined, 'canary-of-a-secret']);
});

it('the address of the tokens may be relative to the server', async () => {
  const toolId = await deployed(withFlow('/token'));
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
});

it('OpenID Connect finds the address of the tokens where the server describes itself, and never at the import', async () => {
  const toolId = await deployed({ type: 'openIdConnect', openIdConnectUrl: `${servers.url}/discovery` });
  expect(servers.discoveries).toBe(0);
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
  expect(servers.discoveries).toBe(1);
  expect(servers.asked).toHaveLength(1);
});

describe('an attempt', () => {
  const asking = async (more: object) => {
    const oauth = { credentials: '{{ env.LOGIN }}', tokenUrl: `${servers.url}/token` };
    const ask = { id: 'ask', type: 'http', method: 'POST', url: `${servers.url}/v1`, oauth, ...more };
    const value = `client-${(clients += 1)}:canary-of-a-secret`;
    return deployedTool(tenant, { flow: flowOf([ask]), env: envOf([{ name: 'LOGIN', value, secret: true }]) });
  };
  const discovered = { credentials: '{{ env.LOGIN }}', openIdConnectUrl: `${servers.url}/discovery` };

  it('ends in the time of the node, even if the authorization server does not answer', async () => {
    servers.isSilent = true;
    const toolId = await asking({ timeoutMs: 300 });
    const { body } = await execute(tenant, toolId, {}, { timeoutMs: 10_000 });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'HTTP_TIMED_OUT' } });
    expect(servers.asked).toHaveLength(1);
  });

  it('is repeated if the discovery fails for a moment', async () => {
    servers.failingDiscoveries.push(503, 429);
    const toolId = await asking({ oauth: discovered, retry: { attempts: 3, delayMs: 1 } });
    expect((await execute(tenant, toolId)).body.status).toBe('completed');
    expect(servers.discoveries).toBe(3);
  });

  it.each([
    [503, 2],
    [404, 1],
  ])('says that the discovery answered %i, after %i attempts of two', async (status, times) => {
    servers.failingDiscoveries.push(status, status);
    const toolId = await asking({ oauth: discovered, retry: { attempts: 2, delayMs: 1 } });
    const { body } = await execute(tenant, toolId);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'ACCESS_TOKEN_REFUSED' } });
    expect(body.error!.message).toContain(`status ${status}`);
    expect(servers.discoveries).toBe(times);
  });

  it('is repeated if too many tokens are requested', async () => {
    servers.answer = { status: 429, body: { error: 'slow_down' } };
    const toolId = await asking({ retry: { attempts: 2, delayMs: 1 } });
    expect((await execute(tenant, toolId)).body).toMatchObject({ error: { code: 'ACCESS_TOKEN_REFUSED' } });
    expect(servers.asked).toHaveLength(2);
  });

  it.each([
    ['of the discovered issuer', () => servers.issuer, 'completed'],
    ['of another issuer', () => servers.url, 'failed'],
  ])('takes an answer with an ID token only if that is %s', async (_, issuer, status) => {
    const toolId = await asking({ oauth: discovered });
    servers.answer = {
      status: 200,
      body: { access_token: 'a', token_type: 'Bearer', id_token: idToken(issuer(), `client-${clients}`) },
    };
    expect((await execute(tenant, toolId)).body.status).toBe(status);
  });

  it('takes an answer with an ID token if there was no discovery, because nothing names the issuer', async () => {
    const toolId = await asking({});
    const id = idToken(servers.issuer, `client-${clients}`);
    servers.answer = { status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: id } };
    expect((await execute(tenant, toolId)).body.status).toBe('completed');
  });
});

it.each([
  ['client credentials', withFlow('/token')],
  ['the sign-in of a user', { type: 'oauth2', flows: { authorizationCode: {} } }],
  ['OpenID Connect', { type: 'openIdConnect', openIdConnectUrl: '/discovery' }],
])('a token that is given is sent as it is, in place of %s', async (_, scheme) => {
  const toolId = await deployed(scheme, 'canary-given-token');
  expect((await execute(tenant, toolId)).body.status).toBe('completed');
  expect(servers.tokensSent).toEqual(['Bearer canary-given-token']);
  expect(servers.asked).toEqual([]);
});

it.each([
  ['a refusal', { status: 400, body: { error: 'invalid_scope' } }, 'It answered invalid_scope.'],
  ['a fault', { status: 500, body: {} }, 'It answered with the status 500.'],
  ['a challenge, in both ways', { status: 401, body: {}, headers: CHALLENGE }, 'It refused the id and the secret'],
  ['no token', { status: 200, body: {} }, 'no bearer token'],
  ['another kind of token', { status: 200, body: { access_token: 'a', token_type: 'mac' } }, 'no bearer token'],
])('a run says that the authorization server answered with %s', async (_, answer, words) => {
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  servers.answer = answer;
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'ACCESS_TOKEN_REFUSED' } });
  expect(body.error!.message).toContain(words);
  expect(servers.tokensSent).toEqual([]);
});

it.each([
  ['a fault', () => (servers.answer = { status: 500, body: {} })],
  [
    'a challenge',
    () => {
      servers.takesBasic = false;
      servers.challenge = CHALLENGE;
    },
  ],
  [
    'a refusal, after which there is no other token',
    () => {
      servers.revokeAll();
      servers.answer = { status: 400, body: { error: 'invalid_scope' } };
    },
  ],
])('the connection of %s is closed, although its body does not end', async (name, begin) => {
  const toolId = await deployed(withFlow(`${servers.url}/token`));
  if (name.startsWith('a refusal')) await execute(tenant, toolId);
  servers.isEndless = true;
  begin();
  expect((await execute(tenant, toolId)).body.status).toBe(name === 'a challenge' ? 'completed' : 'failed');
  await eventually(() => servers.unended.size === 0, Boolean, 5_000);
});

it('a run without credentials says so', async () => {
  const { toolId } = await imported(withFlow('/token'), undefined, [{ login: [] }]);
  await deploy(tenant, toolId);
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'ACCESS_TOKEN_REFUSED' } });
  expect(body.error!.message).toContain('has no credentials');
});

it.each([':', 'client:', ':secret'])('a run with half of a client’s credentials says so: %s', async (credentials) => {
  const toolId = await deployed(withFlow(`${servers.url}/token`), credentials);
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'ACCESS_TOKEN_REFUSED' } });
  expect(body.error!.message).toContain('lack the id or the secret');
});

it('an address of the tokens in a closed network gets no request', async () => {
  const toolId = await deployed(withFlow('http://169.254.169.254/token'));
  expect((await execute(tenant, toolId)).body).toMatchObject({ error: { code: 'ADDRESS_NOT_ALLOWED' } });
});

it.each([
  ['a certificate', { type: 'mutualTLS' }, [{ login: [] }], 'needs credentials that HTTP nodes do not send: login'],
  ['a digest', { type: 'http', scheme: 'digest' }, [{ login: [] }], 'login (http digest)'],
  ['no address', withFlow(''), [{ login: [] }], 'its tokenUrl is not an address'],
  ['two in one header', withFlow('/token'), [{ login: [], key: [] }], 'two credentials in the header'],
])('an operation that needs %s is refused with the reason', async (_, scheme, security, words) => {
  const job = await imported(scheme, undefined, security);
  expect(job.error).toMatchObject({ code: 'OPENAPI_OPERATION_UNSUPPORTED' });
  expect(job.error!.message).toContain(words);
});
