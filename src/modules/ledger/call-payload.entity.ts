import { Entity, ManyToOne, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { Call } from './call.entity.js';
import { CallPayloadRepository } from './call-payload.repository.js';

/**
 * The request and the response of a call. It has its own table because it is large and is deleted earlier than the
 * call.
 */
@NotAudited('A payload is the content of a call, not configuration')
@Entity({ tableName: 'ledger_payload', repository: () => CallPayloadRepository })
export class CallPayload {
  [EntityRepositoryType]?: CallPayloadRepository;
  [PrimaryKeyProp]?: 'call';

  /** The call exists as long as its payload, so that a join finds it. */
  @OneToOne(() => Call, {
    primary: true,
    joinColumns: ['project_id', 'n', 'ts'],
    createForeignKeyConstraint: false,
  })
  readonly call!: Rel<Call>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  /** The JSON that the writer sent: the request, the response, and any other members. */
  @Property({ type: 'text' })
  readonly payload!: string;

  /** Only `CallRepository.add` creates payloads, together with their calls. */
  protected constructor() {}
}
