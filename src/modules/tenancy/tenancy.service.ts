import { ForeignKeyConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ErrorFactory } from '../../kernel/errors.js';
import { type Page, toPage } from '../../kernel/page.js';
import type { Actor } from '../../platform/auth/actor.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Database } from '../../platform/database/database.js';
import { App, type Environment } from './app.entity.js';
import { AppRepository } from './app.repository.js';
import { toEnvironmentName } from './environment-names.js';
import { Project } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';
import { tenancyErrors } from './tenancy.errors.js';
import type { CursorQuery } from '../../platform/http/cursor-query.js';

@Injectable()
export class TenancyService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectRepository,
    private readonly apps: AppRepository,
  ) {}

  createProject(actor: Actor, name: string): Promise<Project> {
    return this.database.transaction(actor, async (em) => {
      const project = new Project(name);
      em.persist(project);
      return project;
    });
  }

  async listProjects({ cursor, limit }: CursorQuery): Promise<Page<Project>> {
    return toPage(await this.projects.listAfter(cursor, limit), limit);
  }

  async hasProject(projectId: string): Promise<boolean> {
    return (await this.projects.byId(projectId)) !== null;
  }

  renameProject(actor: Actor, projectId: string, name: string): Promise<Project> {
    return this.database.transaction(actor, async () => {
      const project = await this.project(projectId);
      project.name = name;
      return project;
    });
  }

  async deleteProject(actor: Actor, projectId: string): Promise<{ projectId: string }> {
    await this.database.transaction(actor, async (em) => {
      em.remove(await this.project(projectId));
      await em.flush().catch(refuseNotEmpty(tenancyErrors.projectNotEmpty));
    });
    return { projectId };
  }

  createApp(actor: Actor, projectId: string, name: string): Promise<App> {
    return this.database.transaction(actor, async (em) => {
      const app = new App(await this.project(projectId), name);
      em.persist(app);
      return app;
    });
  }

  async listApps(projectId: string, { cursor, limit }: CursorQuery): Promise<Page<App>> {
    const project = await this.project(projectId);
    return toPage(await this.apps.listAfter(project.id, cursor, limit), limit);
  }

  renameApp(actor: Actor, appId: string, name: string): Promise<App> {
    return this.database.transaction(actor, async () => {
      const app = await this.app(appId);
      app.name = name;
      return app;
    });
  }

  async deleteApp(actor: Actor, appId: string): Promise<{ appId: string }> {
    await this.database.transaction(actor, async (em) => {
      em.remove(await this.app(appId));
      await em.flush().catch(refuseNotEmpty(tenancyErrors.appNotEmpty));
    });
    return { appId };
  }

  async environments(appId: string): Promise<Environment[]> {
    const app = await this.apps.withEnvironments(appId);
    if (!app) throw authErrors.appNotFound();
    return app.environments.getItems();
  }

  async environment(appId: string, envName: string): Promise<Environment> {
    const environments = await this.environments(appId);
    const environment = environments.find(({ name }) => name === toEnvironmentName(envName));
    if (!environment) throw tenancyErrors.environmentNotFound();
    return environment;
  }

  /** The app, or the refusal that there is none: for the modules whose things belong to an app. */
  async app(appId: string): Promise<App> {
    const app = await this.apps.byId(appId);
    if (!app) throw authErrors.appNotFound();
    return app;
  }

  async project(projectId: string): Promise<Project> {
    const project = await this.projects.byId(projectId);
    if (!project) throw authErrors.projectNotFound();
    return project;
  }
}

function refuseNotEmpty(refusal: ErrorFactory) {
  return (error: unknown): never => {
    throw error instanceof ForeignKeyConstraintViolationException ? refusal() : error;
  };
}
