import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { User } from '../../sessions/user.entity.js';
import { AuthProfile } from './auth-profile.entity.js';
import { SignInFlowRepository } from './sign-in-flow.repository.js';

export const verifierColumn = defineSealed({ table: 'auth_flow', column: 'verifier_sealed' });

/** A user who is about to sign in at an identity provider. */
@NotAudited('Users make them, and they last an hour')
@Entity({ tableName: 'auth_flow', repository: () => SignInFlowRepository })
@Index({ name: 'auth_flow_profile', properties: ['profile'] })
@Index({ name: 'auth_flow_user', properties: ['user'] })
@Index({ name: 'auth_flow_age', properties: ['expiresAt'] })
export class SignInFlow {
  [EntityRepositoryType]?: SignInFlowRepository;

  /** A digest of its state: whoever reads this table cannot sign in with it. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  @ManyToOne(() => AuthProfile, { deleteRule: 'cascade' })
  readonly profile!: AuthProfile;

  @ManyToOne(() => User, { deleteRule: 'cascade' })
  readonly user!: User;

  /** Proves that whoever asks for the tokens is who began (PKCE). */
  @Property({ type: 'text' })
  readonly verifierSealed!: string;

  /** Of what the conversation shows, together with the state; null where its profile wants no code. */
  @Property({ type: 'text', nullable: true })
  readonly codeDigest!: string | null;

  /** How many wrong codes were typed. */
  @Property({ type: 'integer', default: 0 })
  readonly tries!: number;

  /** Of the secret of the browser that was sent to the provider: no other one may come back. */
  @Property({ type: 'text', nullable: true })
  readonly browserDigest!: string | null;

  @Property({ type: 'timestamptz' })
  readonly expiresAt!: Date;

  /** Set when the user is back, or has tried too many codes: a state is good for one return. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly usedAt!: Date | null;

  /** Sign-ins are only ever written by statements of their repository. */
  protected constructor() {}
}

export type SignInFlowRow = RowOf<SignInFlow>;
