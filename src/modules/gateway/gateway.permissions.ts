import { definePermissions } from '../../kernel/permissions.js';

export const gatewayPermissions = definePermissions({
  RUN_API: { allows: 'Run agents, execute tools and call models.' },
});
