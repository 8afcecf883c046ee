import { z } from 'zod';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import { type App, ENVIRONMENT_NAMES } from './app.entity.js';
import type { Project } from './project.entity.js';
import type { EnvironmentState } from './live-environments.service.js';

const name = displayName.meta({ examples: ['Customer service'] });

export const Naming = z.strictObject({ name }).meta({ id: 'Naming', examples: [{ name: 'Customer service' }] });
export type Naming = z.infer<typeof Naming>;

export const ProjectView = z.object({ projectId: id('project'), name, createdAt: timestamp }).meta({ id: 'Project' });

export const AppView = z
  .object({ appId: id('app'), projectId: id('project'), name, createdAt: timestamp })
  .meta({ id: 'App' });

export const AppWithProjectView = AppView.extend({
  projectName: name.describe('The name of its project.'),
}).meta({ id: 'AppWithProject' });

export const EnvironmentView = z
  .object({
    envId: id('environment'),
    name: z.enum(ENVIRONMENT_NAMES),
    agentId: id('agent').nullable().describe('The agent that is active in the environment, or null if none is.'),
    appVersionId: id('agentVersion')
      .nullable()
      .describe('The version of the agent that is active in the environment, or null if none is.'),
  })
  .meta({ id: 'Environment' });

export const ProjectGone = z.object({ projectId: id('project') }).meta({ id: 'ProjectGone' });

export const AppGone = z.object({ appId: id('app') }).meta({ id: 'AppGone' });

export function toProjectView(project: Project): z.infer<typeof ProjectView> {
  return { projectId: project.id, name: project.name, createdAt: project.createdAt.toISOString() };
}

export function toAppView(app: App): z.infer<typeof AppView> {
  return { appId: app.id, projectId: app.project.id, name: app.name, createdAt: app.createdAt.toISOString() };
}

export function toAppWithProjectView(app: App): z.infer<typeof AppWithProjectView> {
  return { ...toAppView(app), projectName: app.project.name };
}

export function toEnvironmentView({ environment, live }: EnvironmentState): z.infer<typeof EnvironmentView> {
  const { id: envId, name: envName } = environment;
  return { envId, name: envName, agentId: live?.agentId ?? null, appVersionId: live?.versionId ?? null };
}
