import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { JwtClientActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingClient } from '../../platform/auth/callers.js';
import { plain } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { HOOK_ERRORS } from './hook-error.js';
import { HookCall, HookTaken } from './hooks.schema.js';
import { HooksService } from './hooks.service.js';

@ApiTags('Agent-assist hooks')
@Controller()
export class HooksController {
  constructor(private readonly hooks: HooksService) {}

  @Route('POST /agentassist/api/v1/hooks/{botId}', {
    access: 'jwtClient',
    summary: 'Report messages, entries and exits of a conversation to a bot',
    description:
      'The body has a message (`query` and the members beside it), events of the conversation, or both. They may arrive out of order and more than once.',
    returns: plain(HookTaken),
    errorShape: HOOK_ERRORS,
    errors: [
      agentAssistErrors.botUnknown,
      agentAssistErrors.botMismatch,
      agentAssistErrors.outOfOrder,
      agentAssistErrors.tooManyAgents,
    ],
  })
  take(
    @CallingClient() actor: JwtClientActor,
    @PathId('bot') botId: Id<'bot'>,
    @Body({ schema: HookCall }) call: HookCall,
  ) {
    return this.hooks.take(actor, botId, call);
  }
}
