import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { App } from '../../tenancy/app.entity.js';
import { AuthProfileRepository } from './auth-profile.repository.js';

export interface NewAuthProfile {
  idpName: string;
  authorizationUrl: string;
  tokenUrl: string;
  clientId: string;
  scopes: string;
  ssoType: string;
  requiresCode: boolean;
  issuer: string | null;
}

/** An identity provider at which users of an app sign in, so that its tools may act for them. */
@Audited({ kind: 'authProfile', project: 'app.project', secrets: ['clientSecretSealed', 'tokenUrl'] })
@Entity({ tableName: 'auth_profile', repository: () => AuthProfileRepository })
@Unique({ name: 'auth_profile_name', properties: ['app', 'idpName'] })
export class AuthProfile {
  [EntityRepositoryType]?: AuthProfileRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'authProfile'> = newId('authProfile');

  @ManyToOne(() => App, { deleteRule: 'cascade' })
  readonly app: App;

  @Property({ type: 'text' })
  idpName: string;

  @Property({ type: 'text' })
  authorizationUrl: string;

  @Property({ type: 'text' })
  tokenUrl: string;

  @Property({ type: 'text' })
  clientId: string;

  @Property({ type: 'text' })
  clientSecretSealed: string = '';

  @Property({ type: 'text' })
  scopes: string;

  @Property({ type: 'text' })
  ssoType: string;

  /** Whether whoever signs in types what the conversation shows. */
  @Property({ type: 'boolean', default: true })
  requiresCode: boolean;

  /** What the provider calls itself in `iss`; null where nobody has said. */
  @Property({ type: 'text', nullable: true })
  issuer: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(app: App, wish: NewAuthProfile) {
    this.app = app;
    this.idpName = wish.idpName;
    this.authorizationUrl = wish.authorizationUrl;
    this.tokenUrl = wish.tokenUrl;
    this.clientId = wish.clientId;
    this.scopes = wish.scopes;
    this.ssoType = wish.ssoType;
    this.requiresCode = wish.requiresCode;
    this.issuer = wish.issuer;
  }
}

export type AuthProfileRow = RowOf<AuthProfile>;
