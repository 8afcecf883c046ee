import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { plain } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { ledgerErrors } from '../ledger.errors.js';
import { RepricingView, StartRepricing, toRepricingView } from './repricing.schema.js';
import { Repricings } from './repricings.service.js';

const REPRICINGS = '/api/public/analytics/projects/{projectId}/llm-ledger-repricings';

@ApiTags('LLM ledger')
@Controller()
export class RepricingsController {
  constructor(private readonly repricings: Repricings) {}

  @Route(`POST ${REPRICINGS}`, {
    access: 'analytics:write',
    summary: 'Compute the costs of past calls again, with the current prices',
    description:
      'Calls whose writers sent a cost are not changed. The repricing runs as a job; read it to see its progress.',
    returns: plain(RepricingView),
  })
  async start(
    @CallingKey() actor: KeyActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: StartRepricing }) window: StartRepricing,
  ) {
    return toRepricingView(await this.repricings.start(actor, projectId, window));
  }

  @Route(`GET ${REPRICINGS}/{repricingId}`, {
    access: 'analytics:write',
    summary: 'Read the progress of a repricing',
    returns: plain(RepricingView),
    errors: [ledgerErrors.repricingNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('repricing') repricingId: Id<'repricing'>) {
    return toRepricingView(await this.repricings.read(projectId, repricingId));
  }
}
