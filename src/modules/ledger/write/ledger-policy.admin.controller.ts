import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { LedgerPolicies } from './ledger-policies.service.js';
import { ChangeLedgerPolicy, LedgerPolicyView } from './ledger-policy.admin.schema.js';

@ApiTags('Administration: ledger')
@Controller()
export class LedgerPolicyAdminController {
  constructor(private readonly policies: LedgerPolicies) {}

  @AdminRoute('GET /projects/{projectId}/ledger-policy', {
    summary: 'Read how the ledger treats prompts and answers',
    returns: data(LedgerPolicyView),
  })
  async read(@PathId('project') projectId: Id<'project'>) {
    return { payloads: await this.policies.read(projectId) };
  }

  @AdminRoute('PUT /projects/{projectId}/ledger-policy', {
    summary: 'Change how the ledger treats prompts and answers',
    returns: data(LedgerPolicyView),
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: ChangeLedgerPolicy }) { payloads }: ChangeLedgerPolicy,
  ) {
    return { payloads: await this.policies.change(actor, projectId, payloads) };
  }
}
