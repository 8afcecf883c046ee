import { Global, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { AdminKeyStrategy } from './admin-key.strategy.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { Digests } from './digests.js';
import { KeyRevocations } from './key-revocations.js';
import { RevocationListener } from './revocation-listener.js';
import { RunningRequests } from './running-requests.js';

/** Who asks, and whether they still may. Needs a KeyDirectory, which the access module provides. */
@Global()
@Module({
  imports: [PassportModule],
  providers: [ApiKeyStrategy, AdminKeyStrategy, Digests, KeyRevocations, RevocationListener, RunningRequests],
  exports: [Digests, KeyRevocations, RevocationListener, RunningRequests],
})
export class AuthModule {}
