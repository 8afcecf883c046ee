import { defineErrors } from '../../kernel/errors.js';

export const agentAssistErrors = defineErrors({
  jwtClientNotFound: {
    status: 404,
    code: 'JWT_CLIENT_NOT_FOUND',
    message: 'There is no such JWT client. The list of the project’s jwt-clients has the ids.',
  },
  publicKeyNotTaken: {
    status: 400,
    code: 'PUBLIC_KEY_NOT_TAKEN',
    message:
      'The public key {reason}. An RS256 client needs an RSA public key in PEM of 2048 to 8192 bits; an HS256 client needs none.',
    example: { values: { reason: 'is missing' } },
  },
  botNotFound: {
    status: 404,
    code: 'BOT_NOT_FOUND',
    message: 'There is no such bot. The list of the project’s bots has the ids.',
  },
  conversationNotFound: {
    status: 404,
    code: 'CONVERSATION_NOT_FOUND',
    message: 'The bot has no such conversation. The list of its conversations has the ids.',
  },
  botUnknown: {
    status: 400,
    code: 'BOT_UNKNOWN',
    message: 'The linked agent details could not be found. Verify the botId, and which client signed the token.',
  },
  botMismatch: {
    status: 400,
    code: 'BOT_MISMATCH',
    message: 'The botId of the body is not the one in the path. Verify the botId, and send the same one in both.',
  },
  outOfOrder: {
    status: 409,
    code: 'EVENT_OUT_OF_ORDER',
    message: 'The bot is strict, and {what} comes out of order: {reason} Nothing of this call was stored.',
    example: { values: { what: 'events.0', reason: 'The conversation had ended.' } },
  },
  tooManyAgents: {
    status: 409,
    code: 'TOO_MANY_ACTIVE_AGENTS',
    message: 'A conversation has at most {max} agents at a time. First send the exits of the agents who have left.',
    example: { values: { max: 100 } },
  },
});
