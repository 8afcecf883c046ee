import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, type Opt } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { Audited } from '../../../platform/audit/audited.js';
import { IDENTITY, type RowOf } from '../../../platform/database/columns.js';
import { Environment } from '../../tenancy/app.entity.js';
import { AgentVersion } from './agent.entity.js';
import { ActivationRepository } from './activation.repository.js';

/** The period in which a version answers in an environment. At most one activation of an environment has not ended. */
@Audited({ kind: 'agentActivation', project: 'environment.app.project', target: 'environment' })
@Entity({ tableName: 'agent_activation', repository: () => ActivationRepository })
@Unique({ name: 'agent_activation_now', properties: ['environment'], where: 'ended_at is null' })
@Index({ name: 'agent_activation_of_environment', properties: ['environment', 'number'] })
@Index({ name: 'agent_activation_of_version', properties: ['version'] })
@Index({ name: 'agent_activation_age', properties: ['endedAt'], where: 'ended_at is not null' })
export class Activation {
  [EntityRepositoryType]?: ActivationRepository;

  @PrimaryKey({ ...IDENTITY })
  readonly number!: Opt<number>;

  @ManyToOne(() => Environment, { deleteRule: 'cascade' })
  readonly environment: Environment;

  @ManyToOne(() => AgentVersion, { deleteRule: 'no action' })
  readonly version: AgentVersion;

  @Property({ type: 'timestamptz' })
  readonly activatedAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  endedAt: Date | null = null;

  constructor(environment: Environment, version: AgentVersion) {
    this.environment = environment;
    this.version = version;
  }

  end(): void {
    this.endedAt ??= clock.now();
  }
}

export type ActivationRow = RowOf<Activation>;
