import { Entity, Enum, Index, ManyToOne, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { type RowOf, UNENFORCED } from '../../../platform/database/columns.js';
import { App } from '../../tenancy/app.entity.js';
import { Project } from '../../tenancy/project.entity.js';
import { ErasureRepository } from './erasure.repository.js';
import { User } from '../user.entity.js';

/** How much was erased of a user. */
export interface ErasureReport {
  sessions: number;
  traces: number;
  observations: number;
  payloads: number;
  attachments: number;
  toolRuns: number;
  /** The messages of the webhook channel. */
  messages: number;
}

export const NOTHING_ERASED: Readonly<ErasureReport> = {
  sessions: 0,
  traces: 0,
  observations: 0,
  payloads: 0,
  attachments: 0,
  toolRuns: 0,
  messages: 0,
};

const ERASURE_STATES = ['running', 'done', 'failed'] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** The erasure of everything that is kept of a user. It remains as a report after the user has been deleted. */
@NotAudited('The audit has the deletion of the user, with its actor')
@Entity({ tableName: 'user_erasure', repository: () => ErasureRepository })
@Index({ name: 'user_erasure_age', properties: ['finishedAt'], where: 'finished_at is not null' })
export class Erasure {
  [EntityRepositoryType]?: ErasureRepository;
  [PrimaryKeyProp]?: 'user';

  @OneToOne(() => User, { primary: true, owner: true, ...UNENFORCED })
  readonly user!: User;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => App, { ...UNENFORCED })
  readonly app!: App;

  @Enum({ type: 'text', items: ERASURE_STATES })
  readonly state!: ErasureState;

  @Property({ type: 'timestamptz' })
  readonly requestedAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly finishedAt!: Date | null;

  /** The report as JSON, which `reportOf` parses. */
  @Property({ type: 'text' })
  readonly report!: string;

  /** The files that were attached to the user's sessions. They belong to the project and are not deleted. */
  @Property({ type: 'text[]', runtimeType: 'string[]' })
  readonly fileIds!: Id<'file'>[];

  protected constructor() {}
}

export type ErasureRow = RowOf<Erasure>;

export function reportOf({ report }: Pick<ErasureRow, 'report'>): ErasureReport {
  return { ...NOTHING_ERASED, ...(JSON.parse(report) as Partial<ErasureReport>) };
}
