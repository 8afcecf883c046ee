import { definePermissions } from '../../kernel/permissions.js';

export const connectionsPermissions = definePermissions({
  CONNECTIONS_VIEW: { allows: 'See model connections; their secrets stay masked.' },
  CONNECTIONS_MANAGE: { allows: 'Create and change model connections.', implies: ['CONNECTIONS_VIEW'] },
});
