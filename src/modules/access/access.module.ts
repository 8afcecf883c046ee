import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { ConsoleDirectory } from '../../platform/auth/console-directory.js';
import { KeyDirectory } from '../../platform/auth/key-directory.js';
import { ActorLock } from '../../platform/database/actor-lock.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AccessActorLock } from './access.actor-lock.js';
import { AccessKeyDirectory } from './access.key-directory.js';
import { FinishRevocation } from './access.processor.js';
import './access.retention.js';
import { AdminKey } from './admin-key.entity.js';
import { AdminKeysAdminController } from './admin-keys.admin.controller.js';
import { AdminKeysService } from './admin-keys.service.js';
import { ApiKey, ApiKeyUse, ApiKeyValue } from './api-key.entity.js';
import { ApiKeysAdminController } from './api-keys.admin.controller.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AccessConsoleDirectory } from './console-sessions/access.console-directory.js';
import { ConsoleSession } from './console-sessions/console-session.entity.js';
import { ConsoleSessionsAdminController } from './console-sessions/console-sessions.admin.controller.js';
import { ConsoleSessionsService } from './console-sessions/console-sessions.service.js';
import { OidcIdentity } from './console-sessions/oidc/oidc-identity.js';
import { OidcProvider } from './console-sessions/oidc/oidc-provider.js';
import { ConsoleSignInController } from './console-sessions/sign-in/console-sign-in.controller.js';
import { ConsoleSignIns } from './console-sessions/sign-in/console-sign-ins.service.js';
import { MeController } from './me.controller.js';
import { RevocationsService } from './revocations.service.js';
import { Scope } from './scope.entity.js';
import { ScopesAdminController } from './scopes.admin.controller.js';
import { ScopesController } from './scopes.controller.js';
import { ScopesService } from './scopes.service.js';

/** API keys and scopes. The module is global because the platform injects `KeyDirectory` and `ActorLock`. */
@Global()
@Module({
  imports: [
    TenancyModule,
    MikroOrmModule.forFeature([Scope, ApiKey, ApiKeyValue, ApiKeyUse, AdminKey, ConsoleSession]),
  ],
  controllers: [
    ApiKeysController,
    ScopesController,
    MeController,
    ApiKeysAdminController,
    ScopesAdminController,
    AdminKeysAdminController,
    ConsoleSessionsAdminController,
    ConsoleSignInController,
  ],
  providers: [
    ApiKeysService,
    ScopesService,
    AdminKeysService,
    ConsoleSessionsService,
    OidcIdentity,
    OidcProvider,
    ConsoleSignIns,
    FinishRevocation,
    RevocationsService,
    { provide: KeyDirectory, useClass: AccessKeyDirectory },
    { provide: ConsoleDirectory, useClass: AccessConsoleDirectory },
    { provide: ActorLock, useClass: AccessActorLock },
  ],
  exports: [ActorLock, ConsoleDirectory, KeyDirectory, ApiKeysService, ScopesService],
})
export class AccessModule {}
