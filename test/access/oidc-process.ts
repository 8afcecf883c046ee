import { startProvider } from '../agents/identity-provider.js';
import { startProcess } from '../support/process.js';
import type { Service } from '../support/service.js';
import { CALLBACK, oidcSettings } from './oidc.js';

const claimsOf = (login: string) => ({ groups: login === 'stranger' ? [] : ['everyone'] });

let started: ReturnType<typeof start> | undefined;
afterAll(async () => {
  const { process, idp } = (await started) ?? {};
  await process?.stop();
  idp?.stop();
});

async function start({ settings }: Service) {
  const idp = await startProvider({ redirectPath: CALLBACK, claimsOf });
  const process = await startProcess({ ...settings, ...oidcSettings(idp.issuer), SLIPWAY_ROLE: 'api' });
  return { idp, process };
}

/** Returns the address of a process of the service in which administrators sign in with OpenID Connect. */
export async function urlWithOidc(service: Service): Promise<string> {
  started ??= start(service);
  return (await started).process.url;
}
