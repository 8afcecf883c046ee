import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../../../platform/audit/audited.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { User } from '../../sessions/user.entity.js';
import { AuthProfile } from './auth-profile.entity.js';
import { UserTokenRepository } from './user-token.repository.js';

export const tokensColumn = defineSealed({ table: 'user_token', column: 'tokens_sealed' });

/** The tokens of a user at one identity provider, with which tools act for the user. */
@NotAudited('Users get tokens by signing in, and renewals change them')
@Entity({ tableName: 'user_token', repository: () => UserTokenRepository })
@Unique({ properties: ['profile', 'user'] })
@Index({ name: 'user_token_age', properties: ['updatedAt'] })
@Index({ name: 'user_token_user', properties: ['user'] })
export class UserToken {
  [EntityRepositoryType]?: UserTokenRepository;

  @PrimaryKey({ ...ID })
  readonly id!: string;

  @ManyToOne(() => AuthProfile, { deleteRule: 'cascade' })
  readonly profile!: AuthProfile;

  @ManyToOne(() => User, { deleteRule: 'cascade' })
  readonly user!: User;

  /** The access token and the refresh token, as JSON. */
  @Property({ type: 'text' })
  readonly tokensSealed!: string;

  /** Null if the provider does not say when the access token expires. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly expiresAt!: Date | null;

  @Property({ type: 'timestamptz' })
  readonly updatedAt!: Date;

  /** Only statements of the repository write tokens. */
  protected constructor() {}
}

export type UserTokenRow = RowOf<UserToken>;

/** A user has at most one row for each profile. */
export function userTokenId({ profileId, userId }: Pick<UserTokenRow, 'profileId' | 'userId'>): string {
  return `${profileId}:${userId}`;
}
