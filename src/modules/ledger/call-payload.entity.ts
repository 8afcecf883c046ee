import { Entity, ManyToOne, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { Call } from './call.entity.js';
import { CallPayloadRepository } from './call-payload.repository.js';

/** What was said in a call. It is kept for a shorter time than the call, and may be large: so it has a table of its own. */
@NotAudited('A payload is what was said in a call, not configuration')
@Entity({ tableName: 'ledger_payload', repository: () => CallPayloadRepository })
export class CallPayload {
  [EntityRepositoryType]?: CallPayloadRepository;
  [PrimaryKeyProp]?: 'call';

  /** It is there as long as the payload is, so that a join finds it. */
  @OneToOne(() => Call, {
    primary: true,
    joinColumns: ['project_id', 'n', 'ts'],
    createForeignKeyConstraint: false,
  })
  readonly call!: Rel<Call>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  /** JSON of the request, the response, and whatever else the writer gave. */
  @Property({ type: 'text' })
  readonly payload!: string;

  /** Payloads are made by `CallRepository.add` alone, with their calls. */
  protected constructor() {}
}
