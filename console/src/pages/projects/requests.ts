export const PROJECTS = '/api/admin/v1/projects';
export const PROJECT = `${PROJECTS}/{projectId}` as const;
