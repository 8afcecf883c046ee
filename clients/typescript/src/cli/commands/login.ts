import { addressIn } from '../../given.js';
import { Slipway } from '../../slipway.js';
import { UsageError, type Command, type Invocation } from '../command.js';

const WITHOUT_TERMINAL = 'Pipe the key, as in slipway login --url URL --key-stdin < FILE, or set SLIPWAY_API_KEY.';

export const login: Command = {
  summary: 'Checks an API key and keeps it for the other commands.',
  usage: 'slipway login [--url URL]\nslipway login --url URL --key-stdin < FILE',
  options: { 'key-stdin': { type: 'boolean' } },
  async run(call) {
    const { terminal, access } = call;
    const isPiped = call.isSet('key-stdin');
    if (!isPiped && !terminal.isInteractive) {
      throw new UsageError(`There is no terminal to ask for the API key. ${WITHOUT_TERMINAL}`);
    }
    const url = await addressOf(call);
    const apiKey = isPiped ? await terminal.input() : await terminal.ask('API key: ', 'the key', { isSecret: true });
    if (!apiKey) throw new UsageError('The API key is empty, so nothing was kept.');
    // The key is written after the service has accepted it, so that a mistake keeps the earlier login.
    const me = await new Slipway({ url, apiKey }).me();
    await access.write({ url, apiKey });
    if (call.isJson) terminal.json({ url, keyId: me.key_id, keyName: me.key_name, projectId: me.project_id });
    else terminal.say(`You are signed in to ${url} with the key ${me.key_name}. It is kept in ${access.file}.`);
  },
};

export const logout: Command = {
  summary: 'Forgets the key of the login. The key itself stays valid.',
  usage: 'slipway logout',
  options: {},
  async run({ access, terminal, isJson }) {
    await access.forget();
    if (isJson) terminal.json({ isSignedIn: false });
    else terminal.say('The key is forgotten.');
  },
};

async function addressOf(call: Invocation): Promise<string> {
  const given = (call.text('url') ?? call.env.SLIPWAY_URL) || undefined;
  return addressIn(given ?? (await call.terminal.ask('Address of Slipway: ', 'the address. Give it with --url')));
}
