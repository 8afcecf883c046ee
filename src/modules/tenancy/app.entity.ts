import { Entity, Enum, Index, ManyToOne, OneToMany, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { InProject } from '../../platform/database/in-project.js';
import { AppRepository } from './app.repository.js';
import { EnvironmentRepository } from './environment.repository.js';
import { Project } from './project.entity.js';

/** An app has these four environments and no other. */
export const ENVIRONMENT_NAMES = ['development', 'staging', 'production', 'working-copy'] as const;

export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

/** Describes `{envName}` in the OpenAPI document. */
export const ENVIRONMENT_IN_PATH = { names: ENVIRONMENT_NAMES, example: 'production' } as const;

/** The owner of keys, agents and sessions. It has exactly the four environments from the start. */
@Audited({ kind: 'app', project: 'project' })
@InProject('app')
@Entity({ tableName: 'app', repository: () => AppRepository })
@Index({ name: 'app_project', properties: ['project', 'id'] })
export class App {
  [EntityRepositoryType]?: AppRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'app'> = newId('app');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @OneToMany(() => Environment, (environment) => environment.app, { orphanRemoval: true })
  readonly environments = new Collection<Environment>(this);

  constructor(project: Project, name: string) {
    this.project = project;
    this.name = name;
    this.environments.set(ENVIRONMENT_NAMES.map((environment) => new Environment(this, environment)));
  }
}

/** A stage of an app. At most one version of an agent is active in it. */
@Audited({ kind: 'environment', project: 'app.project' })
@Entity({ tableName: 'environment', repository: () => EnvironmentRepository })
@Unique({ properties: ['app', 'name'] })
export class Environment {
  [EntityRepositoryType]?: EnvironmentRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'environment'> = newId('environment');

  @ManyToOne(() => App, { deleteRule: 'cascade' })
  readonly app: App;

  @Enum({ type: 'text', items: ENVIRONMENT_NAMES })
  readonly name: EnvironmentName;

  constructor(app: App, name: EnvironmentName) {
    this.app = app;
    this.name = name;
  }
}

/** Finds the environment's name without regard to case. The ledger's filter does not use this and compares the case. */
export function toEnvironmentName(text: string): EnvironmentName | undefined {
  return ENVIRONMENT_NAMES.find((name) => name === text.toLowerCase());
}
