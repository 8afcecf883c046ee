import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/tools.module.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';

/** Offers the deployed tools of a project to clients of the Model Context Protocol. */
@Module({ imports: [ToolsModule], controllers: [McpController], providers: [McpService] })
export class McpModule {}
