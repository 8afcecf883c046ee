import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { success } from '../../platform/route/answer.js';
import { Route } from '../../platform/route/route.js';
import { MeView, toMeView } from './me.schema.js';

@ApiTags('API keys and scopes')
@Controller()
export class MeController {
  @Route('GET /api/public/me', {
    access: 'anyKey',
    summary: 'Read what the calling key is and what it may do',
    returns: success(MeView),
  })
  read(@CallingKey() actor: KeyActor) {
    return toMeView(actor);
  }
}
