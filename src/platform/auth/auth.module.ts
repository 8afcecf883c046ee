import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AdminIdentities } from './admin-identities.js';
import { AdminKeyIdentity } from './admin-key.identity.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { ConsoleCaller } from './console-caller.js';
import { JwtClientStrategy } from './jwt-client.strategy.js';
import { KeyRecheck } from './key-recheck.js';
import { Digests } from './digests.js';
import { KeyChanges } from './key-changes.js';
import { KeyNotices } from './key-notices.js';
import { KeyRevocations } from './key-revocations.js';
import { KnownKeys } from './known-keys.js';
import { KeyListener } from './key-listener.js';
import { RunningRequests } from './running-requests.js';

/**
 * Authenticates callers and checks whether they still may call. It needs a KeyDirectory, a
 * ConsoleDirectory and a JwtClientDirectory, which modules provide.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    ApiKeyStrategy,
    AdminKeyIdentity,
    AdminIdentities,
    JwtClientStrategy,
    ConsoleCaller,
    KeyRecheck,
    Digests,
    KeyChanges,
    KeyNotices,
    KeyRevocations,
    KnownKeys,
    KeyListener,
    RunningRequests,
  ],
  exports: [
    ApiKeyStrategy,
    AdminIdentities,
    JwtClientStrategy,
    ConsoleCaller,
    KeyRecheck,
    Digests,
    KeyChanges,
    KeyRevocations,
    KeyListener,
    RunningRequests,
  ],
})
export class AuthModule {}
