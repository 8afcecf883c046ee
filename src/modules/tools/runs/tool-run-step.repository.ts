import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import { ToolRunStep, type ToolRunStepRow } from './tool-run.entity.js';

/** Steps are made by `ToolRunRepository.keep` alone, with the time that their run has taken. */
export class ToolRunStepRepository extends EntityRepository<ToolRunStep> {
  ofRun(runId: Id<'toolRun'>): Statement<ToolRunStepRow[]> {
    return rows(planned`select ${columnsOf(ToolRunStep)} from tool_run_step where run_id = ${runId} order by step`);
  }
}
