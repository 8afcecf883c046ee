import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { name } from '../../kernel/name.js';
import type { App, Environment } from './app.entity.js';
import { ENVIRONMENT_NAMES } from './environment-names.js';
import type { Project } from './project.entity.js';

export const NameBody = z.strictObject({ name }).meta({ id: 'Name', examples: [{ name: 'Customer service' }] });

export const ProjectView = z.object({ projectId: z.string(), name: z.string(), createdAt: z.iso.datetime() }).meta({
  id: 'Project',
  examples: [{ projectId: exampleId('project'), name: 'Customer service', createdAt: '2026-11-21T09:30:00.000Z' }],
});

export const AppView = z
  .object({ appId: z.string(), projectId: z.string(), name: z.string(), createdAt: z.iso.datetime() })
  .meta({
    id: 'App',
    examples: [
      {
        appId: exampleId('app'),
        projectId: exampleId('project'),
        name: 'Returns desk',
        createdAt: '2026-11-21T09:30:00.000Z',
      },
    ],
  });

export const EnvironmentView = z
  .object({ envId: z.string(), name: z.enum(ENVIRONMENT_NAMES) })
  .meta({ id: 'Environment', examples: [{ envId: exampleId('environment'), name: 'production' }] });

export function toProjectView(project: Project): z.infer<typeof ProjectView> {
  return { projectId: project.id, name: project.name, createdAt: project.createdAt.toISOString() };
}

export function toAppView(app: App): z.infer<typeof AppView> {
  return { appId: app.id, projectId: app.project.id, name: app.name, createdAt: app.createdAt.toISOString() };
}

export function toEnvironmentView({ id, name }: Environment): z.infer<typeof EnvironmentView> {
  return { envId: id, name };
}
