import type { Slipway } from '../../slipway.js';
import { actionsByName, countOf, UsageError, type Action, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

export const keys: Command = {
  summary: 'Lists, creates, rotates and revokes API keys.',
  ...actionsByName(
    'keys',
    {
      list: {
        usage: 'slipway keys [--admin-key KEY]             with an administration key all keys, otherwise your own',
        words: [],
        adminKey: 'taken',
        run: async (call) => list(await call.slipway(), call),
      },
      create: ofKey('create NAME --scope SCOPE', { scope: { type: 'string' } }, create),
      rotate: ofKey('rotate KEY_ID [--grace SECONDS]', { grace: { type: 'string' } }, rotate),
      revoke: ofKey('revoke KEY_ID', {}, revoke),
    },
    'list',
  ),
};

function ofKey(
  form: string,
  options: Action['options'] & object,
  run: (slipway: Slipway, subject: string, call: Invocation) => Promise<void>,
): Action {
  const [action, word] = form.split(' ');
  return {
    usage: `slipway keys ${form}`,
    words: [word!],
    options,
    async run(call) {
      const [subject] = call.words;
      if (subject === undefined) throw new UsageError(`Say which key: slipway keys ${action} ${word}.`);
      await run(await call.slipway(), subject, call);
    },
  };
}

async function list(slipway: Slipway, call: Invocation): Promise<void> {
  const isAdmin = call.text('admin-key') !== undefined || (await call.access.hasAdminKey(call.text('url')));
  const rows = isAdmin ? await allKeys(slipway) : [await ownKey(slipway)];
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
