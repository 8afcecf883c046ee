import { Body, Controller, Headers, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { Route } from '../../platform/route/route.js';
import { mcpErrors } from './mcp.errors.js';
import { McpMessage, mcpAnswer } from './mcp.schema.js';
import { McpOriginGuard } from './mcp-origin.guard.js';
import { McpService } from './mcp.service.js';

@ApiTags('MCP')
@UseGuards(McpOriginGuard)
@Controller()
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Route('POST /mcp', {
    access: 'RUN_API',
    summary: 'Receive a message of the Model Context Protocol',
    description:
      'The endpoint uses the streamable HTTP transport without sessions: each request is answered with JSON, and a notification with 202 and no body. Clients list the deployed tools of the project and call them. In the version 2026-07-28, a message that contradicts its headers is answered with 400 and an unknown method with 404, each with an error of JSON-RPC.',
    returns: mcpAnswer,
    statusOf: ({ status }) => status,
    answersWithoutBody: { 202: 'The message was a notification, or the answer to a request.' },
    acceptsBearer: true,
    takesIdempotencyKey: false,
    errors: [mcpErrors.versionNotSupported, mcpErrors.originRefused],
  })
  receive(
    @CallingKey() actor: KeyActor,
    @Headers('mcp-protocol-version') version: string | undefined,
    @Headers('mcp-method') method: string | undefined,
    @Headers('mcp-name') name: string | undefined,
    @Body({ schema: McpMessage }) message: McpMessage,
  ) {
    return this.mcp.receive(actor, message, { version, method, name }, currentRequest()!.signal);
  }
}
