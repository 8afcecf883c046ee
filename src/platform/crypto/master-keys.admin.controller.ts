import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import { Administrator } from '../auth/callers.js';
import { data } from '../route/answer.js';
import { AdminRoute } from '../route/route.js';
import { MasterKeyView, RewrapView } from './master-keys.admin.schema.js';
import { MasterKeysService } from './master-keys.service.js';

@ApiTags('Administration: master keys')
@Controller()
export class MasterKeysAdminController {
  constructor(private readonly masterKeys: MasterKeysService) {}

  @AdminRoute('GET /master-keys', {
    summary: 'List the master keys by number, each with the number of records that it wraps',
    description: 'The keys themselves are never shown.',
    rightIn: 'installation',
    returns: data(z.array(MasterKeyView)),
  })
  async list() {
    return this.masterKeys.list();
  }

  @AdminRoute('POST /master-keys/rewrap', {
    summary: 'Wrap every stored secret again, under the newest master key',
    right: 'administer',
    description: 'This runs as a job while the service continues. The list of master keys shows when it has ended.',
    rightIn: 'installation',
    returns: data(RewrapView),
  })
  async rewrap(@Administrator() actor: AdminActor) {
    return this.masterKeys.rewrap(actor);
  }
}
