import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { countQueries } from '../support/count-queries.js';
import { startService } from '../support/service.js';
import { openRequest, sendBytes } from '../support/wire.js';
import { ADMIN, Desk, end, entry, makeClient, newConversation } from './bots.js';
import { hs256, rs256, unsignedToken } from './tokens.js';

const service = await startService({ RATE_LIMIT_FAILED_AUTH: '100000' });
const tenant = await makeTenant(service);
const stranger = await makeTenant(service);
const desk = await Desk.open(service, tenant);
const { clientId, clientSecret } = desk.client;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const rsaClient = await makeClient(service, tenant, { algorithm: 'RS256', publicKey });
afterAll(() => service.stop());

const now = Math.floor(Date.now() / 1000);
const withHeaders = async (headers: Record<string, string>, more: object = {}) => {
  const body = { conversationId: newConversation(), botId: desk.botId, events: [entry('NA')], ...more };
  return (await desk.post(body, headers)).outcome;
};
const withToken = (token: string) => withHeaders({ token });
const good = (claims: object = {}) => hs256(clientSecret, { clientId, claims: { ...claims } });

describe('a good token', () => {
  it.each(['auth', 'token', 'Auth', 'TOKEN'])('is accepted in the header %s, with Bearer and without', async (name) => {
    expect(await withHeaders({ [name]: good() })).toBe('200');
    expect(await withHeaders({ [name]: `Bearer ${good()}` })).toBe('200');
    expect(await withHeaders({ [name]: `bearer ${good()}` })).toBe('200');
  });

  it('is accepted in both headers if they agree', async () => {
    const token = good();
    expect(await withHeaders({ auth: `Bearer ${token}`, token })).toBe('200');
  });

  it('may name its client as iss', async () => {
    expect(await withToken(hs256(clientSecret, { claims: { iss: clientId } }))).toBe('200');
  });

  it('may be signed with RS256 if the client uses that', async () => {
    expect(await withToken(rs256(rsa.privateKey, { clientId: rsaClient.clientId }))).toBe('200');
  });

  it.each([
    ['has neither exp nor iat', { iat: undefined }],
    ['expired 59 seconds ago', { exp: now - 59 + 1 }],
    ['becomes valid in 59 seconds', { nbf: now + 55 }],
    ['was issued in 59 seconds', { iat: now + 55 }],
    ['was issued 24 hours ago, less a minute', { iat: now - 24 * 3600 + 60 }],
    ['was issued long ago and has not expired', { iat: now - 10 * 24 * 3600, exp: now + 60 }],
  ])('is accepted when it %s', async (_, claims) => {
    expect(await withToken(good(claims))).toBe('200');
  });
});

describe('a request is refused', () => {
  it('without a token', async () => {
    expect(await withHeaders({})).toBe('401 TOKEN_MISSING');
    expect(await withHeaders({ token: '', auth: '' })).toBe('401 TOKEN_MISSING');
    expect(await withHeaders({ token: 'Bearer ' })).toBe('401 TOKEN_MISSING');
    expect(await withHeaders({ 'x-api-key': tenant.key })).toBe('401 TOKEN_MISSING');
    expect(await withHeaders({ authorization: `Bearer ${good()}` })).toBe('401 TOKEN_MISSING');
    expect(await withHeaders({}, { token: good() })).toBe('401 TOKEN_MISSING');
  });

  it.each([
    ['expired', { exp: now - 61 }, 'TOKEN_EXPIRED'],
    ['issued a day ago, without exp', { iat: now - 24 * 3600 - 61 }, 'TOKEN_EXPIRED'],
    ['not yet valid', { nbf: now + 120 }, 'TOKEN_NOT_YET_VALID'],
    ['issued in the future', { iat: now + 120 }, 'TOKEN_NOT_YET_VALID'],
    ['with an exp that is not a number', { exp: 'tomorrow' }, 'TOKEN_INVALID'],
    ['with an nbf that is not a number', { nbf: {} }, 'TOKEN_INVALID'],
    ['with a client that is not a text', { appId: 7 }, 'TOKEN_INVALID'],
  ])('with a token %s', async (_, claims, code) => {
    expect(await withToken(good(claims))).toBe(`401 ${code}`);
  });

  it('with the algorithm none in any spelling', async () => {
    const token = unsignedToken({ clientId });
    expect(await withToken(token)).toBe('401 TOKEN_INVALID');
    expect(await withToken(`${token}AAAA`)).toBe('401 TOKEN_INVALID');
    for (const alg of ['NONE', 'None', '', null, undefined]) {
      expect(await withToken(hs256(clientSecret, { clientId, header: { alg } }))).toBe('401 TOKEN_INVALID');
    }
  });

  it('with an algorithm that is not the client’s, whatever signed it', async () => {
    const pem = createPublicKey(publicKey).export({ type: 'spki', format: 'pem' });
    // This is the classic algorithm confusion: a token signed with the public key as if it were a shared secret.
    expect(await withToken(hs256(pem.toString(), { clientId: rsaClient.clientId }))).toBe('401 TOKEN_INVALID');
    const asRs256 = { clientId: rsaClient.clientId, header: { alg: 'RS256' } };
    expect(await withToken(hs256(pem.toString(), asRs256))).toBe('401 TOKEN_INVALID');
    expect(await withToken(rs256(rsa.privateKey, { clientId }))).toBe('401 TOKEN_INVALID');
    expect(await withToken(rs256(rsa.privateKey, { clientId, header: { alg: 'HS256' } }))).toBe('401 TOKEN_INVALID');
    for (const alg of ['HS384', 'HS512', 'RS512', 'ES256', 'PS256']) {
      expect(await withToken(hs256(clientSecret, { clientId, header: { alg } }))).toBe('401 TOKEN_INVALID');
    }
  });

  it('with a critical extension, or a key of its own', async () => {
    expect(await withToken(hs256(clientSecret, { clientId, header: { crit: ['b64'], b64: false } }))).toBe(
      '401 TOKEN_INVALID',
    );
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const header = { jwk: own.publicKey.export({ format: 'jwk' }) };
    expect(await withToken(rs256(own.privateKey, { clientId: rsaClient.clientId, header }))).toBe('401 TOKEN_INVALID');
  });

  it('with a token of an unknown client, of none, or signed by another', async () => {
    const theirs = await makeClient(service, stranger);
    expect(await withToken(hs256(clientSecret, { clientId: 'cs-0VJ8kQ2xT4bN7mRw1ZcYp3' }))).toBe('401 TOKEN_INVALID');
    expect(await withToken(hs256(clientSecret, { clientId: 'a\0b' }))).toBe('401 TOKEN_INVALID');
    expect(await withToken(hs256(clientSecret, {}))).toBe('401 TOKEN_INVALID');
    expect(await withToken(hs256(theirs.clientSecret, { clientId }))).toBe('401 TOKEN_INVALID');
    expect(await withToken(hs256(`${clientSecret}\n`, { clientId }))).toBe('401 TOKEN_INVALID');
  });

  it('with a client of another project, as if there were no such bot', async () => {
    const theirs = await makeClient(service, stranger);
    const answer = await desk.post(
      { conversationId: 'x', botId: desk.botId, events: [end()] },
      { token: hs256(theirs.clientSecret, { clientId: theirs.clientId }) },
    );
    expect(answer.body).toEqual({ code: 400, message: expect.stringContaining('Verify the botId') as string });
  });

  it('with two tokens that differ, even if both are good', async () => {
    const [one, other] = [good({ n: 1 }), good({ n: 2 })];
    expect(await withHeaders({ auth: one, token: other })).toBe('401 TOKEN_INVALID');
    expect(await withHeaders({ auth: one, token: '' })).toBe('401 TOKEN_INVALID');
    const doubled = `POST ${desk.path} HTTP/1.1\r\nhost: x\r\ntoken: ${one}\r\ntoken: ${other}\r\ncontent-length: 0\r\n\r\n`;
    expect((await sendBytes(service.url, doubled)).outcome).toBe('401 TOKEN_INVALID');
  });

  it('with text that is not a token, without a query', async () => {
    const [header = '', claims = '', signature = ''] = good().split('.');
    const broken = [
      'x',
      'a.b',
      'a.b.c',
      '..',
      `${header}.${claims}`,
      `${header}.${claims}.`,
      `${header}..${signature}`,
    ];
    const odd = [
      `${good()}.x`,
      `${header}.${claims}.${signature}=`,
      `bnVsbA.bnVsbA.${signature}`,
      `W10.W10.${signature}`,
    ];
    const refused = async () => {
      for (const token of [...broken, ...odd]) expect(await withToken(token)).toBe('401 TOKEN_INVALID');
    };
    let queries = Infinity;
    for (let time = 0; time < 10 && queries > 0; time += 1) queries = await countQueries(service, refused);
    expect(queries).toBe(0);
  });

  it('with a token whose content was changed', async () => {
    const [header = '', , signature = ''] = good().split('.');
    const claims = Buffer.from(JSON.stringify({ appId: clientId, sub: 'someone else' })).toString('base64url');
    expect(await withToken(`${header}.${claims}.${signature}`)).toBe('401 TOKEN_INVALID');
  });

  it('with a token of half a megabyte, and with one of two megabytes as too large a header', async () => {
    expect(await withToken(good({ fill: 'x'.repeat(500_000) }))).toBe('401 TOKEN_INVALID');
    const head = `POST ${desk.path} HTTP/1.1\r\nhost: x\r\ntoken: ${good({ fill: 'x'.repeat(2_000_000) })}\r\n\r\n`;
    expect((await sendBytes(service.url, head)).outcome).toBe('431 HEADERS_TOO_LARGE');
  });

  it('before its body is read', async () => {
    const begun = openRequest(service.url, { verb: 'POST', path: desk.path, headers: { token: 'x' }, begin: '{"no' });
    expect((await begun.answer).outcome).toBe('401 TOKEN_INVALID');
    begun.abandon();
  });
});

describe('a client that needs exp', () => {
  it('is refused with a token without exp', async () => {
    const client = await makeClient(service, tenant, { requireExp: true });
    const token = (claims: object) => hs256(client.clientSecret, { clientId: client.clientId, claims: { ...claims } });
    expect(await withToken(token({}))).toBe('401 TOKEN_INVALID');
    expect(await withToken(token({ exp: now + 60 }))).toBe('200');
  });
});

describe('a client whose tokens are accepted once', () => {
  it('may use each jti once until the token has expired', async () => {
    const client = await makeClient(service, tenant, { enforceJti: true });
    const token = (claims: object) => hs256(client.clientSecret, { clientId: client.clientId, claims: { ...claims } });
    const once = token({ jti: 'one' });
    expect(await withToken(once)).toBe('200');
    expect(await withToken(once)).toBe('401 TOKEN_REPLAYED');
    expect(await withToken(token({ jti: 'one', n: 2 }))).toBe('401 TOKEN_REPLAYED');
    expect(await withToken(token({ jti: 'two' }))).toBe('200');
    expect(await withToken(token({}))).toBe('401 TOKEN_INVALID');
    expect(await withToken(token({ jti: 'three', iat: undefined }))).toBe('401 TOKEN_INVALID');
    // The same jti of another client is another token.
    expect(await withToken(good({ jti: 'one' }))).toBe('200');
    expect(await withToken(good({ jti: 'one' }))).toBe('200');
  });

  it('gets one of many simultaneous requests with one token accepted', async () => {
    const client = await makeClient(service, tenant, { enforceJti: true });
    const token = hs256(client.clientSecret, { clientId: client.clientId, claims: { jti: 'race' } });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => withToken(token)));
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1);
  });
});

describe('a new secret', () => {
  const rotate = async (of: string, input: object) => {
    const { body } = await administratorOf(service).post<{ data: { clientSecret: string } }>(
      `${ADMIN}/jwt-clients/${of}/rotate`,
      input,
    );
    return body.data.clientSecret;
  };

  it('ends the previous one at once, or after the given grace period', async () => {
    const client = await makeClient(service, tenant);
    const signed = (secret: string) => hs256(secret, { clientId: client.clientId, claims: { iat: undefined } });
    const second = await rotate(client.clientId, { graceSeconds: 3600 });
    expect(await withToken(signed(second))).toBe('200');
    expect(await withToken(signed(client.clientSecret))).toBe('200');
    expect(await withToken(signed('another'))).toBe('401 TOKEN_INVALID');
    const later = await atTime(Date.now() + 2 * HOUR, () => withToken(signed(client.clientSecret)));
    expect(later).toBe('401 TOKEN_INVALID');
    const third = await rotate(client.clientId, {});
    expect(await withToken(signed(second))).toBe('401 TOKEN_INVALID');
    expect(await withToken(signed(third))).toBe('200');
  });

  it('is a new public key for RS256', async () => {
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const client = await makeClient(service, tenant, { algorithm: 'RS256', publicKey });
    const pem = next.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(await rotate(client.clientId, { publicKey: pem, graceSeconds: 60 })).toBeNull();
    expect(await withToken(rs256(next.privateKey, { clientId: client.clientId }))).toBe('200');
    expect(await withToken(rs256(rsa.privateKey, { clientId: client.clientId }))).toBe('200');
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(await withToken(rs256(other.privateKey, { clientId: client.clientId }))).toBe('401 TOKEN_INVALID');
  });
});

it('tokens of a deleted client are refused, even for a request that had begun', async () => {
  const client = await makeClient(service, tenant);
  const token = hs256(client.clientSecret, client);
  const body = JSON.stringify({ conversationId: newConversation(), botId: desk.botId, events: [end()] });
  const begun = openRequest(service.url, {
    verb: 'POST',
    path: desk.path,
    headers: { token },
    begin: body.slice(0, 9),
  });
  // The answer to a later request shows that the token of the earlier one has been checked.
  expect(await withToken(token)).toBe('200');
  expect((await administratorOf(service).delete(`${ADMIN}/jwt-clients/${client.clientId}`)).outcome).toBe('200');
  begun.finish(body.slice(9));
  expect((await begun.answer).outcome).toBe('401 TOKEN_INVALID');
  expect(await withToken(token)).toBe('401 TOKEN_INVALID');
});

it('a refusal asks for a token, and refused tokens are counted by address', async () => {
  const answer = await new Client(service.url).post(desk.path, {});
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="slipway"');
  expect(answer.headers.get('ratelimit-policy')).toMatch(/failed-auth/);
});

it('secrets and public keys are stored sealed and not shown again', async () => {
  const rows = await service.database.rows<{ all: string }>(`select to_json(jwt_client)::text as all from jwt_client`);
  const stored = rows.map(({ all }) => all).join('\n');
  expect(stored).not.toContain(clientSecret);
  expect(stored).not.toContain('PUBLIC KEY');
  const { text } = await administratorOf(service).get(`${ADMIN}/jwt-clients/${clientId}`);
  expect(text).not.toContain(clientSecret);
  expect(text).toContain(clientSecret.slice(-4));
});
