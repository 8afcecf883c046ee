import { definePermissions } from '../../kernel/permissions.js';

export const tenancyPermissions = definePermissions({
  APP_VIEW: { allows: 'See the app.' },
  APP_EDIT: { allows: 'Change the app.', implies: ['APP_VIEW'] },
  APP_FULL: { allows: 'Do everything with the app.', implies: ['APP_EDIT', 'DOCK_MANAGE'] },
});
