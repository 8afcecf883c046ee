import { Client } from './client.js';

export interface SignedIn {
  consoleSessionId: string;
  /** The value of the header `Cookie`. */
  cookie: string;
  token: string;
}

/** Signs in to the console, as a browser does with the key of an administrator. */
export async function signInToConsole(administrator: Client): Promise<SignedIn> {
  const { body, headers } = await administrator.post('/api/admin/v1/console-sessions');
  const { data } = body as { data: { consoleSessionId: string; token: string } };
  return { ...data, cookie: headers.get('set-cookie')!.split(';', 1)[0]! };
}

/** Returns the client of a browser that is signed in, for the administration or for the routes of an app. */
export function browserOf(url: string, { cookie, token }: SignedIn, appId?: string): Client {
  return new Client(url, { cookie, 'x-slipway-console': token, ...(appId && { 'x-slipway-app': appId }) });
}

/** Ends all sessions of the console. Its pages learn that with their next request. */
export async function endConsoleSessions(administrator: Client): Promise<void> {
  const path = '/api/admin/v1/console-sessions';
  const { body } = await administrator.get<{ data: SignedIn[] }>(path);
  for (const { consoleSessionId } of body.data) await administrator.delete(`${path}/${consoleSessionId}`);
}
