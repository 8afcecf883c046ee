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

/** An identity provider at which users of an app sign in, so that the app's tools may act for them. */
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

  /** Whether users have to type a code from the conversation when they sign in. */
  @Property({ type: 'boolean', default: true })
  requiresCode: boolean;

  /** The value that the provider sends as `iss`. Null if the administrator has not configured it. */
  @Property({ type: 'text', nullable: true })
  issuer: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(app: App, properties: NewAuthProfile) {
    this.app = app;
    this.idpName = properties.idpName;
    this.authorizationUrl = properties.authorizationUrl;
    this.tokenUrl = properties.tokenUrl;
    this.clientId = properties.clientId;
    this.scopes = properties.scopes;
    this.ssoType = properties.ssoType;
    this.requiresCode = properties.requiresCode;
    this.issuer = properties.issuer;
  }
}

export type AuthProfileRow = RowOf<AuthProfile>;
