import { startProvider } from '../agents/identity-provider.js';
import { startProcess } from '../support/process.js';
import type { Service } from '../support/service.js';
import { CALLBACK, oidcSettings } from './oidc.js';

const claimsOf = (login: string) => ({ groups: login === 'stranger' ? [] : ['everyone'] });
/** The address of the process of each service. */
const started = new WeakMap<Service, Promise<string>>();

/** Returns the address of a process of the service in which administrators sign in with OpenID Connect. */
export function urlWithOidc(service: Service): Promise<string> {
  const url = started.get(service) ?? start(service);
  started.set(service, url);
  return url;
}

async function start({ settings, companions }: Service): Promise<string> {
  const idp = await startProvider({ redirectPath: CALLBACK, claimsOf });
  const process = await startProcess({ ...settings, ...oidcSettings(idp.issuer), SLIPWAY_ROLE: 'api' });
  companions.push(process, idp);
  return process.url;
}
