import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { User } from '../../sessions/user.entity.js';
import { AuthProfile } from './auth-profile.entity.js';
import { SignInFlowRepository } from './sign-in-flow.repository.js';

export const verifierColumn = defineSealed({ table: 'auth_flow', column: 'verifier_sealed' });

/** A sign-in of a user at an identity provider, from the link in the conversation until the user comes back. */
@NotAudited('Users create sign-ins, which last an hour')
@Entity({ tableName: 'auth_flow', repository: () => SignInFlowRepository })
@Index({ name: 'auth_flow_profile', properties: ['profile'] })
@Index({ name: 'auth_flow_user', properties: ['user'] })
@Index({ name: 'auth_flow_age', properties: ['expiresAt'] })
export class SignInFlow {
  [EntityRepositoryType]?: SignInFlowRepository;

  /** A digest of the sign-in's `state`, so that a reader of this table cannot continue the sign-in. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  @ManyToOne(() => AuthProfile, { deleteRule: 'cascade' })
  readonly profile!: AuthProfile;

  @ManyToOne(() => User, { deleteRule: 'cascade' })
  readonly user!: User;

  /** Proves to the provider that the service which requests the tokens also began the sign-in (PKCE). */
  @Property({ type: 'text' })
  readonly verifierSealed!: string;

  /** A digest of the code that the conversation shows, with the state. Null if the profile requires no code. */
  @Property({ type: 'text', nullable: true })
  readonly codeDigest!: string | null;

  /** The number of wrong codes that were typed. */
  @Property({ type: 'integer', default: 0 })
  readonly tries!: number;

  /** A digest of the secret of the browser that was sent to the provider. No other browser may come back. */
  @Property({ type: 'text', nullable: true })
  readonly browserDigest!: string | null;

  @Property({ type: 'timestamptz' })
  readonly expiresAt!: Date;

  /** Set when the user has come back or has typed too many wrong codes, because a state is valid for one return. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly usedAt!: Date | null;

  /** Only statements of the repository write sign-ins. */
  protected constructor() {}
}

export type SignInFlowRow = RowOf<SignInFlow>;
