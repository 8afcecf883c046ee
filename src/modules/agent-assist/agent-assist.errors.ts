import { defineErrors } from '../../kernel/errors.js';

export const agentAssistErrors = defineErrors({
  jwtClientNotFound: {
    status: 404,
    code: 'JWT_CLIENT_NOT_FOUND',
    message: 'There is no such JWT client. The list of jwt-clients of the project has those there are.',
  },
  publicKeyNotTaken: {
    status: 400,
    code: 'PUBLIC_KEY_NOT_TAKEN',
    message:
      'The public key {reason}. An RS256 client needs an RSA public key in PEM of 2048 to 8192 bits; HS256 none.',
    example: { values: { reason: 'is missing' } },
  },
  botNotFound: {
    status: 404,
    code: 'BOT_NOT_FOUND',
    message: 'There is no such bot. The list of bots of the project has those there are.',
  },
  conversationNotFound: {
    status: 404,
    code: 'CONVERSATION_NOT_FOUND',
    message: 'The bot has no such conversation. Its list of conversations has those it was told of.',
  },
  botUnknown: {
    status: 400,
    code: 'BOT_UNKNOWN',
    message: 'The linked agent details could not be found. Verify the botId, and whose client signed the token.',
  },
  botMismatch: {
    status: 400,
    code: 'BOT_MISMATCH',
    message: 'The botId of the body is not the one in the path. Verify the botId, and send the same in both.',
  },
  outOfOrder: {
    status: 409,
    code: 'EVENT_OUT_OF_ORDER',
    message: 'The bot is strict and {what} comes out of order: {reason} Nothing of this call was kept.',
    example: { values: { what: 'events.0', reason: 'The conversation had ended.' } },
  },
  tooManyAgents: {
    status: 409,
    code: 'TOO_MANY_ACTIVE_AGENTS',
    message: 'A conversation has at most {most} agents at a time. Send the exits of those who have left first.',
    example: { values: { most: 100 } },
  },
});
