import { create, user } from '../sessions/make.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { startIdentityProvider } from './identity-provider.js';
import { beginSignIn, goToProvider, makeProfile, type ProfileBody } from './sign-in.js';
import { onwardFrom, type Seen, Visitor } from './visitor.js';

const service = await startService();
const idp = await startIdentityProvider();
afterAll(async () => {
  await service.stop();
  idp.stop();
});

async function tenantWith(input: object = {}): Promise<Tenant & { profile: ProfileBody }> {
  const tenant = await makeTenant(service);
  const { body } = await makeProfile(service, tenant, { ...idp.profile, idpName: 'Company login', ...input });
  return { ...tenant, profile: body.data };
}

const isSignedIn = async (tenant: Tenant, who: string) => 'session' in (await create(tenant, [user(who)])).body;
/** Returns the error code that a page shows. */
const codeOn = ({ html }: Seen) => /<small>(\w+)<\/small>/.exec(html)?.[1];

it('a user who types the code of the conversation signs in', async () => {
  const tenant = await tenantWith();
  const { body } = await create(tenant, [user('ada')]);
  const redirect = body.events.find(({ name }) => name === 'IDP_Redirect')!;
  const { code } = redirect.params as { code: string };
  expect(code).toMatch(/^\d{6}$/);
  expect(body.output.at(-1)!.content).toBe(
    `To sign in at Company login, type the code ${code}. Do not give it to anyone.`,
  );
  const { auth_profiles: profiles } = redirect.content as { auth_profiles: { url: string }[] };

  const ada = new Visitor();
  const onward = await ada.begin(profiles[0]!.url, `${code.slice(0, 3)} ${code.slice(3)}`);
  expect(onward.status).toBe(200);
  const done = await ada.open(await ada.signIn(onwardFrom(onward), service.url));
  expect(done.status).toBe(200);
  expect(done.html).toContain('You are signed in');
  expect(await isSignedIn(tenant, 'ada')).toBe(true);
});

it('the page asks for no code if the profile requires none', async () => {
  const tenant = await tenantWith({ requiresCode: false });
  const { body } = await create(tenant, [user('ada')]);
  expect(body.output).toHaveLength(1);
  const { address, code } = await beginSignIn(service, tenant, 'ada');
  expect(code).toBeUndefined();
  const ada = new Visitor();
  expect((await ada.open(address.href)).html).not.toContain('name="code"');
  const back = await ada.signIn(onwardFrom(await ada.begin(address.href)), service.url);
  expect((await ada.open(back)).status).toBe(200);
  expect(await isSignedIn(tenant, 'ada')).toBe(true);
});

it('a victim sees who asks, and cannot continue without the code of the attacker’s conversation', async () => {
  const tenant = await tenantWith();
  const { address, code } = await beginSignIn(service, tenant, 'mallory');
  const victim = new Visitor();
  const page = await victim.open(address.href);
  expect(page.html).toMatch(/its user <strong><bdi>mallory<\/bdi><\/strong/);

  const wrong = code === '123456' ? '654321' : '123456';
  for (const left of [4, 3, 2, 1]) {
    const refused = await victim.begin(address.href, wrong);
    expect([refused.status, codeOn(refused)]).toEqual([403, 'SIGN_IN_CODE_WRONG']);
    expect(refused.html).toContain(`left: ${left}.`);
    expect(refused.html).toContain('<a href="">Try again</a>');
  }
  const last = await victim.begin(address.href, wrong);
  expect([last.status, codeOn(last)]).toEqual([403, 'SIGN_IN_TRIES_USED']);
  expect(codeOn(await victim.open(address.href))).toBe('SIGN_IN_NOT_FOUND');
});

it('wrong codes that are sent in parallel are all counted', async () => {
  const tenant = await tenantWith();
  const { address } = await beginSignIn(service, tenant, 'mallory');
  const guesses = Array.from({ length: 12 }, () => new Visitor().begin(address.href, 'wrong'));
  const refusals = (await Promise.all(guesses)).map(codeOn);
  expect(refusals.filter((code) => code === 'SIGN_IN_CODE_WRONG')).toHaveLength(4);
  expect(refusals.filter((code) => code === 'SIGN_IN_TRIES_USED')).toHaveLength(1);
});

it('a user who got the provider’s address from another browser is not accepted back', async () => {
  const tenant = await tenantWith();
  const mallory = await goToProvider(service, tenant, 'mallory');
  const victim = new Visitor();
  const back = await victim.signIn(mallory.provider, service.url);
  const refused = await victim.open(back);
  expect([refused.status, codeOn(refused)]).toEqual([403, 'SIGN_IN_OTHER_BROWSER']);
  expect(codeOn(await mallory.visitor.open(back))).toBe('SIGN_IN_NOT_FOUND');
  expect(await isSignedIn(tenant, 'mallory')).toBe(false);
});

it('a user who has only begun another sign-in is not accepted back', async () => {
  const tenant = await tenantWith();
  const mallory = await goToProvider(service, tenant, 'mallory');
  const victim = await goToProvider(service, tenant, 'victim');
  const back = await victim.visitor.signIn(mallory.provider, service.url);
  expect(codeOn(await victim.visitor.open(back))).toBe('SIGN_IN_OTHER_BROWSER');
  expect(await isSignedIn(tenant, 'mallory')).toBe(false);
});

it('a form that another site sends is refused, whether or not the browser has been here', async () => {
  const tenant = await tenantWith();
  const { address, code = '' } = await beginSignIn(service, tenant, 'mallory');
  const mallory = new Visitor();
  const { html } = await mallory.open(address.href);
  const token = /name="token" value="([^"]+)"/.exec(html)![1]!;
  const victim = new Visitor();
  // Another site's form arrives without the cookie, which is SameSite, and without the token for this browser.
  expect(codeOn(await victim.open(address.href, { token, code }))).toBe('SIGN_IN_FORM_REFUSED');
  await victim.open(address.href);
  expect(codeOn(await victim.open(address.href, { token, code }))).toBe('SIGN_IN_FORM_REFUSED');
  expect(codeOn(await victim.open(address.href, { code }))).toBe('SIGN_IN_FORM_REFUSED');
});

describe('the issuer with which a user comes back', () => {
  const comeBack = async (input: object, issuers: string[]) => {
    const { visitor, state } = await goToProvider(service, await tenantWith(input));
    const query = new URLSearchParams({ state, error: 'access_denied' });
    for (const iss of issuers) query.set('iss', iss);
    return codeOn(await visitor.open(`${service.url}/auth/idp/callback?${query.toString()}`));
  };
  const [passed, refused] = ['SIGN_IN_REFUSED', 'SIGN_IN_OTHER_ISSUER'];

  it('must have the origin to which the user was sent', async () => {
    expect(await comeBack({}, [idp.issuer])).toBe(passed);
    expect(await comeBack({}, [])).toBe(passed);
    expect(await comeBack({}, ['https://another.example.com'])).toBe(refused);
    expect(await comeBack({}, ['another'])).toBe(refused);
  });

  it('must equal the issuer of the profile, if it has one', async () => {
    const issuer = `${idp.issuer}/tenant`;
    expect(await comeBack({ issuer }, [issuer])).toBe(passed);
    expect(await comeBack({ issuer }, [idp.issuer])).toBe(refused);
    expect(await comeBack({ issuer }, [])).toBe(refused);
  });

  it('is no longer required after an administrator removes it from the profile', async () => {
    const tenant = await tenantWith({ issuer: 'https://another.example.com' });
    const path = `/api/admin/v1/apps/${tenant.appId}/auth-profiles/${tenant.profile.profileId}`;
    const changed = await administratorOf(service).patch<{ data: object }>(path, { issuer: null, requiresCode: false });
    expect(changed.body.data).toMatchObject({ issuer: null, requiresCode: false });
    const { visitor, provider } = await goToProvider(service, tenant, 'ada');
    expect((await visitor.open(await visitor.signIn(provider, service.url))).status).toBe(200);
  });
});

describe('the page', () => {
  const markup = `<script>alert(1)</script>"'&`;
  const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;';

  it('shows names as text, whatever they contain', async () => {
    const tenant = await tenantWith({ idpName: markup });
    const renamed = await administratorOf(service).patch(`/api/admin/v1/apps/${tenant.appId}`, { name: markup });
    expect(renamed.outcome).toBe('200');
    const { address, code } = await beginSignIn(service, tenant, markup);
    const visitor = new Visitor();
    const asked = await visitor.open(address.href);
    expect(asked.html.split(shown)).toHaveLength(5);
    const onward = await visitor.begin(address.href, code);
    const state = address.pathname.split('/').at(-1)!;
    const refused = await visitor.open(`${service.url}/auth/idp/callback?state=${state}&error=access_denied`);
    for (const { html } of [asked, onward, refused]) {
      expect(html).not.toContain('<script');
      expect(html).toContain(shown);
    }
  });

  it('runs no script, allows no frame, is not cached, and hides its cookie from scripts and other sites', async () => {
    const { address } = await beginSignIn(service, await tenantWith());
    const { headers } = await new Visitor().open(address.href);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toMatch(
      /^slipway-sign-in=\w{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
  });

  it('sets a host-only cookie if the service is reached over https, and accepts no other', async () => {
    const { address, code } = await beginSignIn(service, await tenantWith());
    const secure = await startProcess({ ...service.settings, PUBLIC_URL: 'https://slipway.test' });
    try {
      const visitor = new Visitor();
      const page = secure.url + address.pathname;
      const { headers } = await visitor.open(page);
      expect(headers.get('set-cookie')).toMatch(/^__Host-slipway-sign-in=\w{43}; Path=\/; .*; SameSite=Lax; Secure$/);
      expect((await visitor.begin(page, code)).status).toBe(200);
      const secret = visitor.cookie.split('=')[1]!;
      const other = await new Client(secure.url, { cookie: `slipway-sign-in=${secret}` }).get(address.pathname);
      expect(other.headers.get('set-cookie')).not.toContain(secret);
    } finally {
      await secure.stop();
    }
  });

  it('answers other clients than browsers with JSON', async () => {
    const { outcome, headers } = await new Client(service.url).get('/auth/idp/never');
    expect(outcome).toBe('404 SIGN_IN_NOT_FOUND');
    expect(headers.get('vary')).toMatch(/accept/i);
    const { address } = await beginSignIn(service, await tenantWith());
    const sent = await new Client(service.url).post(address.pathname, { token: '', code: '' });
    expect(sent.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });
});
