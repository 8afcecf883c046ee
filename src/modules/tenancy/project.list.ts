import { defineList, type RequestOf } from '../../platform/list/list.js';
import { Project } from './project.entity.js';

export const projectList = defineList(Project, {
  sorts: { createdAt: 'id', name: 'name' },
});
export type ProjectsRequest = RequestOf<typeof projectList>;
