import { addressIn } from '../../given.js';
import { Slipway } from '../../slipway.js';
import { oneAction, UsageError, type Command, type Invocation } from '../command.js';

const WITHOUT_TERMINAL = 'Pipe the key, as in slipway login --url URL --key-stdin < FILE, or set SLIPWAY_API_KEY.';

export const login: Command = {
  summary: 'Checks an API key and keeps it for the other commands.',
  notes: 'With --admin, an administration key is kept beside the API key.',
  ...oneAction('login', {
    usage: 'slipway login [--admin] [--url URL]\nslipway login [--admin] --url URL --key-stdin < FILE',
    words: [],
    options: { 'key-stdin': { type: 'boolean' }, admin: { type: 'boolean' } },
    run: (call) => (call.isSet('admin') ? signInAsAdmin(call) : signIn(call)),
  }),
};

export const logout: Command = {
  summary: 'Forgets the keys of the login. The keys themselves stay valid.',
  ...oneAction('logout', {
    usage: 'slipway logout',
    words: [],
    isLocal: true,
    async run({ access, terminal, isJson }) {
      await access.forget();
      if (isJson) terminal.json({ isSignedIn: false });
      else terminal.say('The login is forgotten.');
    },
  }),
};

async function signIn(call: Invocation): Promise<void> {
  const { terminal, access } = call;
  refuseWithoutTerminal(call, 'API key');
  const url = await addressOf(call);
  const apiKey = await keyOf(call, 'API key');
  // The key is written after the service has accepted it, so that a mistake keeps the earlier login.
  const me = await new Slipway({ url, apiKey }).me();
  const earlier = await access.read().catch(() => undefined);
  await access.write({ ...(earlier?.url === url && earlier), url, apiKey });
  if (call.isJson) terminal.json({ url, keyId: me.key_id, keyName: me.key_name, projectId: me.project_id });
  else terminal.say(`You are signed in to ${url} with the key ${me.key_name}. It is kept in ${access.file}.`);
}

/** An administration key knows no app and no project, so it is kept beside an API key. */
async function signInAsAdmin(call: Invocation): Promise<void> {
  const { terminal, access } = call;
  const earlier = await access.read();
  const given = (call.text('url') ?? call.env.SLIPWAY_URL) || earlier?.url;
  const url = given === undefined ? undefined : addressIn(given);
  if (url === undefined || earlier?.url !== url) {
    throw new UsageError('Run slipway login first, with an API key of this service. It says which project is meant.');
  }
  refuseWithoutTerminal(call, 'administration key');
  const adminKey = await keyOf(call, 'administration key');
  await new Slipway({ url, apiKey: earlier.apiKey, adminKey }).keys.list().next();
  await access.write({ ...earlier, adminKey });
  if (call.isJson) terminal.json({ url, isAdmin: true });
  else terminal.say(`The administration key for ${url} is kept in ${access.file}.`);
}

function refuseWithoutTerminal(call: Invocation, what: string): void {
  if (call.isSet('key-stdin') || call.terminal.isInteractive) return;
  throw new UsageError(`There is no terminal to ask for the ${what}. ${WITHOUT_TERMINAL}`);
}

async function keyOf(call: Invocation, what: string): Promise<string> {
  const { terminal } = call;
  const question = `${what[0]!.toUpperCase()}${what.slice(1)}: `;
  const key = call.isSet('key-stdin')
    ? await terminal.input()
    : await terminal.ask(question, `the ${what}`, { isSecret: true });
  if (!key) throw new UsageError(`The ${what} is empty, so nothing was kept.`);
  return key;
}

async function addressOf(call: Invocation): Promise<string> {
  const given = (call.text('url') ?? call.env.SLIPWAY_URL) || undefined;
  return addressIn(given ?? (await call.terminal.ask('Address of Slipway: ', 'the address. Give it with --url')));
}
