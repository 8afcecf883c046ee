import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Statements } from '../database/statements.js';
import { data } from '../route/answer.js';
import { AdminRoute } from '../route/route.js';
import { ProcessView, toProcessView } from './processes.admin.schema.js';
import { ServiceProcessRepository } from './service-process.repository.js';

@ApiTags('Administration: processes')
@Controller()
export class ProcessesAdminController {
  constructor(
    private readonly statements: Statements,
    private readonly processes: ServiceProcessRepository,
  ) {}

  @AdminRoute('GET /processes', {
    summary: 'List the processes of the installation, the oldest first',
    description:
      'Each process has a heartbeat every 30 seconds. A process that stops leaves the list at once. One that was killed, or has lost its database, stays for a day after its last heartbeat.',
    rightIn: 'installation',
    returns: data(z.array(ProcessView)),
  })
  async list() {
    return (await this.statements.ask(this.processes.all())).map(toProcessView);
  }
}
