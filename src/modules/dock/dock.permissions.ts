import { definePermissions } from '../../kernel/permissions.js';

export const dockPermissions = definePermissions({
  DOCK_MANAGE: {
    allows: 'Change, deploy, undeploy and export tools and models that another scope or an administrator made.',
  },
});
