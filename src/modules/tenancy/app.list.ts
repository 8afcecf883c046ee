import { toId } from '../../kernel/ids.js';
import { id } from '../../kernel/schema.js';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { App } from './app.entity.js';

const sorts = { createdAt: 'id', name: 'name' } as const;

export const appList = defineList(App, { sorts });
export type AppsRequest = RequestOf<typeof appList>;

export const allAppsList = defineList(App, {
  sorts,
  filters: {
    projectId: {
      schema: id('project').describe('Finds the apps of this project alone.'),
      where: (projectId) => ({ project: toId('project', projectId) }),
    },
  },
  populate: ['project'],
});
export type AllAppsRequest = RequestOf<typeof allAppsList>;
