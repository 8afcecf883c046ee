import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { KeptSessions } from './kept-sessions.js';
import { McpConnection } from './mcp-connection.entity.js';
import { McpConnectionsAdminController } from './mcp-connections.admin.controller.js';
import { McpConnectionsService } from './mcp-connections.service.js';
import { McpHeaders } from './mcp-headers.js';
import { McpTools } from './mcp-tools.service.js';

/** The MCP servers whose tools a project's agents and flows call. */
@Module({
  imports: [TenancyModule, MikroOrmModule.forFeature([McpConnection])],
  controllers: [McpConnectionsAdminController],
  providers: [McpConnectionsService, McpHeaders, KeptSessions, McpTools],
  exports: [McpConnectionsService, McpTools],
})
export class McpConnectionsModule {}
