import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsWith } from '../../platform/database/columns.js';
import { raw, type Sql, sql } from '../../platform/database/sql.js';
import { rows, type Statement } from '../../platform/database/statement.js';
import { Observation, type ObservationRow } from './observation.entity.js';

export class ObservationRepository extends EntityRepository<Observation> {
  /**
   * So many of each trace at most; of a parent that never arrived the children stand at the top. What was said in calls
   * of models is told or left out.
   */
  ofTraces(
    projectId: Id<'project'>,
    traceIds: readonly Id<'trace'>[],
    limit: number,
    calls: 'with texts' | 'without texts',
  ): Statement<ObservationRow[]> {
    const said = (column: Sql) =>
      calls === 'with texts' ? column : sql`case when o.kind = 'GENERATION' then null else ${column} end`;
    const told = { parentId: raw('parent.id'), input: said(raw('o.input')), output: said(raw('o.output')) };
    return rows(sql`
      select found.* from unnest(${traceIds}::text[]) as wanted (trace_id), lateral (
        select ${columnsWith(Observation, told, 'o')}
        from observation o left join observation parent
          on parent.project_id = o.project_id and parent.trace_id = o.trace_id and parent.id = o.parent_id
        where o.project_id = ${projectId} and o.trace_id = wanted.trace_id
        order by o.started_at, o.ended_at desc, o.id limit ${limit}) found`);
  }
}
