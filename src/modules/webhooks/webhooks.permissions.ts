import { definePermissions } from '../../kernel/permissions.js';

export const webhooksPermissions = definePermissions({
  HTTP_ASYNC_SEND: { allows: 'Send messages to agents over the webhook channel.' },
});
