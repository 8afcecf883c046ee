import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor, AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { visibleProjects } from '../../kernel/roles.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { onForeignKey } from '../../platform/database/database.errors.js';
import { Database } from '../../platform/database/database.js';
import { allAppsList, type AllAppsRequest, appList, type AppsRequest } from './app.list.js';
import { projectList, type ProjectsRequest } from './project.list.js';
import { App, type Environment, toEnvironmentName } from './app.entity.js';
import { AppRepository } from './app.repository.js';
import { EnvironmentRepository } from './environment.repository.js';
import { Project } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';
import { tenancyErrors } from './tenancy.errors.js';

@Injectable()
export class TenancyService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectRepository,
    private readonly apps: AppRepository,
    private readonly environmentRows: EnvironmentRepository,
  ) {}

  createProject(actor: Actor, name: string): Promise<Project> {
    return this.database.transaction(actor, async (tx) => {
      const project = new Project(name);
      tx.em.persist(project);
      return project;
    });
  }

  /** Lists the projects that the administrator sees. */
  listProjects(actor: AdminActor, request: ProjectsRequest): Promise<Page<Project>> {
    const visible = visibleProjects<Id<'project'>>(actor);
    return projectList.page(this.projects, visible ? { id: { $in: visible } } : {}, request);
  }

  async project(projectId: Id<'project'>): Promise<Project> {
    const project = await this.projects.byId(projectId);
    if (!project) throw authErrors.projectNotFound();
    return project;
  }

  /** Changes of the project and of its settings take turns. The first settings of a project have no row to lock yet. */
  async lockProject(tx: Transaction, projectId: Id<'project'>): Promise<Project> {
    if (!(await tx.ask(this.projects.lock(projectId)))) throw authErrors.projectNotFound();
    return this.project(projectId);
  }

  async hasProject(projectId: Id<'project'>): Promise<boolean> {
    return (await this.projects.byId(projectId)) !== null;
  }

  renameProject(actor: Actor, projectId: Id<'project'>, name: string): Promise<Project> {
    return this.database.transaction(actor, async (tx) => {
      const project = await this.lockProject(tx, projectId);
      project.name = name;
      return project;
    });
  }

  async deleteProject(actor: Actor, projectId: Id<'project'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(await this.lockProject(tx, projectId));
      await tx.em.flush().catch(onForeignKey(tenancyErrors.projectNotEmpty));
    });
  }

  createApp(actor: Actor, projectId: Id<'project'>, name: string): Promise<App> {
    return this.database.transaction(actor, async (tx) => {
      const app = new App(await this.project(projectId), name);
      tx.em.persist(app);
      await tx.em.flush().catch(onForeignKey(authErrors.projectNotFound));
      return app;
    });
  }

  async listApps(projectId: Id<'project'>, request: AppsRequest): Promise<Page<App>> {
    const project = await this.project(projectId);
    return appList.page(this.apps, { project }, request);
  }

  /** Lists the apps of the projects that the administrator sees. */
  listAllApps(actor: AdminActor, request: AllAppsRequest): Promise<Page<App>> {
    const visible = visibleProjects<Id<'project'>>(actor);
    return allAppsList.page(this.apps, visible ? { project: { $in: visible } } : {}, request);
  }

  /** Refuses if there is no such app. Other modules use this for rows that belong to an app. */
  async app(appId: Id<'app'>): Promise<App> {
    const app = await this.findApp(appId);
    if (!app) throw authErrors.appNotFound();
    return app;
  }

  findApp(appId: Id<'app'>): Promise<App | null> {
    return this.apps.byId(appId);
  }

  /** Changes of the app and of its settings take turns. The first settings of an app have no row to lock yet. */
  async lockApp(tx: Transaction, appId: Id<'app'>): Promise<App> {
    if (!(await tx.ask(this.apps.lock(appId)))) throw authErrors.appNotFound();
    return this.app(appId);
  }

  renameApp(actor: Actor, appId: Id<'app'>, name: string): Promise<App> {
    return this.database.transaction(actor, async (tx) => {
      const app = await this.lockApp(tx, appId);
      app.name = name;
      return app;
    });
  }

  async deleteApp(actor: Actor, appId: Id<'app'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(await this.lockApp(tx, appId));
      await tx.em.flush().catch(onForeignKey(tenancyErrors.appNotEmpty));
    });
  }

  async environments(appId: Id<'app'>): Promise<Environment[]> {
    const app = await this.apps.withEnvironments(appId);
    if (!app) throw authErrors.appNotFound();
    return app.environments.getItems();
  }

  async environment(appId: Id<'app'>, envName: string): Promise<Environment> {
    const environments = await this.environments(appId);
    const environment = environments.find(({ name }) => name === toEnvironmentName(envName));
    if (!environment) throw tenancyErrors.environmentNotFound();
    return environment;
  }

  /** Transactions that change what is active in an environment take turns. */
  async lockEnvironment(tx: Transaction, appId: Id<'app'>, envName: string): Promise<Environment> {
    const environment = await this.environment(appId, envName);
    await tx.ask(this.environmentRows.lock(environment.id));
    return environment;
  }
}
