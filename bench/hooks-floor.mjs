import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';
import { newState } from '../dist/src/modules/agent-assist/conversation-state.js';
import { NewEvents } from '../dist/src/modules/agent-assist/new-events.js';
import { Conversation } from '../dist/src/modules/agent-assist/conversation.entity.js';
import { ConversationRepository } from '../dist/src/modules/agent-assist/conversation.repository.js';
import { ask, isWithinLimit, newApp, pool, serve } from './by-hand.mjs';
import { sendTogether } from './packets.mjs';

/** @import { ConversationKey } from '../dist/src/modules/agent-assist/conversation.entity.js' */
/** @import { LockedConversation } from '../dist/src/modules/agent-assist/conversation.repository.js' */

/**
 * The floor of `bench/hooks.mjs`: the hooks in Express 5 and nothing else. It writes the same rows by the same rules in
 * one transaction. It reads the client, checks the token's signature and increments one count in Redis. It locks the client
 * and the conversation, and writes the rows and one line of log. It checks no body and keeps the secret unencrypted.
 */
const { CLIENT_SECRET = '' } = process.env;

/** This repository only makes statements, so it needs no connection. */
const conversations = new ConversationRepository(/** @type {never} */ (undefined), Conversation);

const app = newApp();
app.post('/agentassist/api/v1/hooks/:botId', express.json(), async (request, response) => {
  const clientId = clientOf(request.get('token') ?? '');
  if (clientId === undefined) return response.status(401).json({ code: 401, message: 'No such token' });
  const [client] = await /** @type {typeof ask<{ project_id: string }>} */ (ask)(
    pool,
    'find-jwt-client',
    'select id, project_id, algorithm, require_exp, enforce_jti from jwt_client where id = $1',
    [clientId],
  );
  if (!client) return response.status(401).json({ code: 401, message: 'No such client' });
  if (!(await isWithinLimit(response, clientId))) return response.status(429).json({ code: 429 });

  /** @type {unknown} */
  const call = request.body;
  const { conversationId } = /** @type {{ conversationId: string }} */ (call);
  const key = /** @type {ConversationKey} */ ({ botId: request.params.botId, conversationId });
  await take(clientId, client.project_id, key, call);
  return response.json({ STATUS: 'OK' });
});

serve(app);

/**
 * @param {string} clientId
 * @param {string} projectId
 * @param {ConversationKey} key
 * @param {unknown} call
 */
async function take(clientId, projectId, key, call) {
  const at = new Date();
  const connection = await pool.connect();
  try {
    const lock = { name: 'lock', text: 'select 1 from jwt_client where id = $1 for key share', values: [clientId] };
    const query = conversations.lockOrInsert(/** @type {never} */ (projectId), key, at).sql.toQuery();
    const [, , conversation] = await sendTogether(connection, ['begin', lock, query]);
    const [locked] = /** @type {LockedConversation[]} */ (conversation?.rows ?? []);
    if (!locked) throw new Error('There is no such bot');
    const { state: known, lastSeq, strict: isStrict } = locked;
    const state = known === '' ? newState() : /** @type {ReturnType<typeof newState>} */ (JSON.parse(known));
    const settings = { at, lastSeq, isStrict };
    const events = new NewEvents(state, /** @type {never} */ (call), settings);
    await sendTogether(connection, [conversations.applyEvents(key, state, events, at).sql.toQuery(), 'commit']);
  } finally {
    connection.release();
  }
}

/** @param {string} token */
function clientOf(token) {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', CLIENT_SECRET).update(`${header}.${claims}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  /** @type {unknown} */
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const { appId } = /** @type {{ appId: string }} */ (read);
  return appId;
}
