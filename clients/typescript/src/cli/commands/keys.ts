import type { Slipway } from '../../slipway.js';
import { UsageError, countOf, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

export const keys: Command = {
  summary: 'Lists, creates, rotates and revokes API keys.',
  usage: [
    'slipway keys                               with SLIPWAY_ADMIN_KEY all keys, otherwise your own',
    'slipway keys create NAME --scope SCOPE',
    'slipway keys rotate KEY_ID [--grace SECONDS]',
    'slipway keys revoke KEY_ID',
  ].join('\n'),
  options: { scope: { type: 'string' }, grace: { type: 'string' } },
  async run(call) {
    const [action = 'list', subject] = call.words;
    const slipway = await call.slipway();
    if (action === 'list') return list(slipway, call);
    if (subject === undefined) throw new UsageError(`Say which key: slipway keys ${action} KEY.`);
    if (action === 'create') return create(slipway, subject, call);
    if (action === 'rotate') return rotate(slipway, subject, call);
    if (action === 'revoke') return revoke(slipway, subject, call);
    throw new UsageError(`slipway keys has no action ${action}. slipway keys --help lists them.`);
  },
};

async function list(slipway: Slipway, call: Invocation): Promise<void> {
  const rows = call.env.SLIPWAY_ADMIN_KEY ? await allKeys(slipway) : [await ownKey(slipway)];
  if (call.isJson) return rows.forEach((row) => call.terminal.json(row));
  call.terminal.say(
    table(
      ['ID', 'NAME', 'EXPIRES'],
      rows.map((row) => [row.keyId, row.name, row.expiresAt ?? 'never']),
    ),
  );
}

async function allKeys(slipway: Slipway) {
  const rows = [];
  for await (const { keyId, apiKeyName, expiresAt } of slipway.keys.list()) {
    rows.push({ keyId, name: apiKeyName, expiresAt });
  }
  return rows;
}

async function ownKey(slipway: Slipway) {
  const { key_id: keyId, key_name: name, expires_at: expiresAt } = await slipway.me();
  return { keyId, name, expiresAt };
}

async function create(slipway: Slipway, name: string, call: Invocation): Promise<void> {
  const scope = call.text('scope');
  if (scope === undefined) throw new UsageError('Say which scope the key has: --scope SCOPE.');
  showValue(await slipway.keys.create({ scope_name: scope, api_key_name: name }), call);
}

async function rotate(slipway: Slipway, keyId: string, call: Invocation): Promise<void> {
  showValue(await slipway.keys.rotate(keyId, { grace_seconds: countOf(call, 'grace', 0) }), call);
}

function showValue(key: { key_id: string; key_name: string; apikey: string | null }, call: Invocation): void {
  if (call.isJson) return call.terminal.json(key);
  call.terminal.note(`${key.key_name} (${key.key_id}). This value is shown only once:`);
  call.terminal.say(key.apikey ?? '');
}

async function revoke(slipway: Slipway, keyId: string, call: Invocation): Promise<void> {
  await slipway.keys.revoke(keyId);
  if (call.isJson) call.terminal.json({ keyId, status: 'revoked' });
  else call.terminal.say(`The key ${keyId} is revoked.`);
}
