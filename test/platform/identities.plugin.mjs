// A plugin with four identities of administrators: a proxy that signs a header, the same for scripts without the console,
// and two directories that sign people in.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import {
  AdminIdentity,
  defineErrors,
  defineSlipwayConfig,
  IdentifiesAdministrators,
  Settings,
  SignInIdentity,
} from 'slipway/plugin';

/** @typedef {import('slipway/plugin').IdentifiedRequest} IdentifiedRequest */
/** @typedef {import('slipway/plugin').KnownPerson} KnownPerson */
/** @typedef {import('slipway/plugin').SignInValues} SignInValues */
/** @typedef {Settings & { ACME_SECRET: string, ACME_URL: string, ACME_PROXY: string }} AcmeSettings */

const acmeErrors = defineErrors({
  proxyRefused: { status: 401, code: 'ACME_PROXY_REFUSED', message: 'The proxy has not signed this. Sign in there.' },
});

/** @typedef {Omit<KnownPerson, 'projectRoles'> & { projectRoles?: Record<string, 'viewer'> }} Claims */

/** @param {unknown} claims @returns {KnownPerson} */
function personOf(claims) {
  const { projectRoles = {}, ...others } = /** @type {Claims} */ (claims);
  return { ...others, projectRoles: new Map(Object.entries(projectRoles)) };
}

class AcmeProxy extends AdminIdentity {
  /** @param {AcmeSettings} settings */
  constructor({ ACME_SECRET: secret, ACME_PROXY: state }) {
    super();
    this.secret = secret;
    this.state = state;
  }

  header = 'x-acme-person';

  /** @override */
  basis() {
    // A plugin that no compiler checks may return undefined.
    if (this.state === 'failing') throw new Error('The proxy of Acme is misconfigured');
    if (this.state === 'promised') return /** @type {never} */ (Promise.reject(new Error('The proxy of Acme is away')));
    const off = /** @type {null} */ (this.state === 'null' ? null : undefined);
    return this.state === 'on' ? this.secret : off;
  }

  /** @override @param {IdentifiedRequest} request */
  async ofRequest({ headers }) {
    const header = headers[this.header];
    if (header === undefined) return null;
    const [person = '', signature = ''] = String(header).split('.');
    const expected = createHmac('sha256', this.secret).update(person).digest();
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw acmeErrors.proxyRefused();
    const known = personOf(JSON.parse(Buffer.from(person, 'base64url').toString()));
    if (known.subject === 'nobody-answers') await new Promise(() => undefined);
    return known;
  }
}
Reflect.defineMetadata('design:paramtypes', [Settings], AcmeProxy);
IdentifiesAdministrators({
  name: 'acme-proxy',
  title: 'the proxy of Acme',
  inConsole: true,
  errors: [acmeErrors.proxyRefused],
})(AcmeProxy);

class AcmeScripts extends AcmeProxy {
  /** @override */
  header = 'x-acme-script';
}
IdentifiesAdministrators({ name: 'acme-scripts', title: 'Scripts of Acme' })(AcmeScripts);

class AcmeDirectory extends SignInIdentity {
  /** @param {AcmeSettings} settings */
  constructor({ ACME_URL: url }) {
    super();
    this.url = url;
  }

  /** @override */
  basis() {
    return this.url;
  }

  /** @override @param {SignInValues} values */
  async begin({ state, redirectUri }) {
    return `${this.url}/sign-in?${new URLSearchParams({ state, redirectUri }).toString()}`;
  }

  /** @override @param {URLSearchParams} sentBack */
  async complete(sentBack) {
    const answer = await fetch(`${this.url}/people/${sentBack.get('ticket')}`);
    return personOf(await answer.json());
  }
}
Reflect.defineMetadata('design:paramtypes', [Settings], AcmeDirectory);
IdentifiesAdministrators({ name: 'acme-directory', title: 'Acme', inConsole: true })(AcmeDirectory);

class AcmePartners extends AcmeDirectory {}
IdentifiesAdministrators({ name: 'acme-partners', title: 'partners of Acme', inConsole: true })(AcmePartners);

class AcmeModule {}
Module({ providers: [AcmeProxy, AcmeScripts, AcmeDirectory, AcmePartners] })(AcmeModule);

export default defineSlipwayConfig({
  plugins: [
    {
      name: 'acme',
      slipway: '*',
      settings: {
        ACME_SECRET: z.string().describe('The secret with which the proxy signs.'),
        ACME_URL: z.url().describe('Address of the directory.'),
        ACME_PROXY: z
          .enum(['on', 'null', 'undefined', 'failing', 'promised'])
          .default('on')
          .describe('The basis of the proxy, if it is off.'),
      },
      modules: () => Promise.resolve([AcmeModule]),
    },
  ],
});
