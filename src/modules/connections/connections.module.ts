import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GatewayModule } from '../gateway/gateway.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { Connection } from './connection.entity.js';
import { ConnectionModels } from './connection-models.js';
import { ConnectionProtocols } from './connection-protocols.js';
import { ConnectionProblems } from './connection-problems.js';
import { ConnectionSafe } from './connection-safe.js';
import { ConnectionTests } from './connection-tests.js';
import { ConnectionsAdminController } from './connections.admin.controller.js';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsService } from './connections.service.js';
import { PROTOCOLS } from './protocols/protocols.js';

/** Connections: the addresses and credentials with which projects reach model providers. */
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    LedgerModule,
    TracesModule,
    GatewayModule,
    MikroOrmModule.forFeature([Connection]),
  ],
  controllers: [ConnectionsController, ConnectionsAdminController],
  providers: [
    ConnectionsService,
    ConnectionSafe,
    ConnectionProtocols,
    ConnectionModels,
    ConnectionTests,
    ConnectionProblems,
    ...PROTOCOLS,
  ],
  exports: [ConnectionsService],
})
export class ConnectionsModule {}
