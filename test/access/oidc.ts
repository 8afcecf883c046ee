import { CLIENT_ID, CLIENT_SECRET } from '../agents/identity-provider.js';
import { onwardFrom, type Seen, Visitor } from '../agents/visitor.js';
import type { SignedIn } from '../support/console.js';
import type { SettingsOfTest } from '../support/settings.js';

export const BEGIN = '/api/admin/v1/console-sign-in/oidc';
export const CALLBACK = `${BEGIN}/callback`;

export interface PersonSignedIn extends SignedIn {
  name: string;
  role: string | null;
  projectRoles: { projectId: string; role: string }[];
}

/** The settings with which administrators sign in at the provider. */
export function oidcSettings(issuer: string): SettingsOfTest {
  return {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: CLIENT_ID,
    CONSOLE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    CONSOLE_OIDC_ROLES: 'cn=owners=owner,desk=operator,auditors=auditor,everyone=viewer',
  };
}

/** Goes to the provider, and returns the address there. */
export async function goToProvider(serviceUrl: string, visitor = new Visitor()) {
  const address = onwardFrom(await visitor.open(serviceUrl + BEGIN));
  return { visitor, address };
}

/** Signs in at the provider, and returns the address with which it sends the person back. */
export async function comeFromProvider(serviceUrl: string, login: string) {
  const { visitor, address } = await goToProvider(serviceUrl);
  return { visitor, back: new URL(await visitor.signIn(address, serviceUrl, login)) };
}

/** Signs in a person, who may be refused. */
export async function signInPerson(serviceUrl: string, login: string): Promise<{ visitor: Visitor; seen: Seen }> {
  const { visitor, back } = await comeFromProvider(serviceUrl, login);
  return { visitor, seen: await visitor.open(back.href) };
}

/** Signs in a person who has a role. */
export async function personInConsole(serviceUrl: string, login: string): Promise<PersonSignedIn> {
  const { visitor, seen } = await signInPerson(serviceUrl, login);
  if (seen.status !== 200) throw new Error(`${login} is not signed in: ${seen.html}`);
  const { cookie } = visitor;
  const current = await fetch(`${serviceUrl}/api/admin/v1/console-sessions/current`, { headers: { cookie } });
  const { data } = (await current.json()) as { data: PersonSignedIn };
  return { ...data, cookie };
}

/** Returns the code of the error on a page. */
export function codeOn({ html }: Seen): string | undefined {
  return /<small>([A-Z_]+)<\/small>/.exec(html)?.[1];
}
