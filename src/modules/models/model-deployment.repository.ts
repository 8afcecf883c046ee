import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { someColumnsOf } from '../../platform/database/columns.js';
import { raw, type Sql, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import { ModelDeployment, type ModelDeploymentRow } from './model-deployment.entity.js';
import type { Failure, ModelKind } from './model.entity.js';

const UNDER_WAY = { $in: ['STARTING' as const, 'LIVE' as const] };

/** The deployments, under the name `d`, that some process must serve. */
export const TO_SERVE = raw(`d.state in ('STARTING', 'LIVE') and d.trouble is null`);

/** Whether a live process has claimed the deployment `d`. */
export const IS_CLAIMED = raw('exists (select from model_host h where h.holder = d.holder and h.lease_until > now())');

/** A deployment with everything that a process needs to serve it. */
export interface ClaimedDeployment extends Pick<
  ModelDeploymentRow,
  'id' | 'projectId' | 'scalingParameters' | 'deviceType'
> {
  isStarting: boolean;
  kind: ModelKind;
  fileId: Id<'file'> | null;
  entry: string | null;
  baseFileId: Id<'file'> | null;
  baseEntry: string | null;
}

/** How far the start of a deployment is, and whether a live process has claimed it. */
export interface ServingState extends Pick<ModelDeploymentRow, 'progress' | 'trouble'> {
  ready: number;
  isClaimed: boolean;
}

export class ModelDeploymentRepository extends EntityRepository<ModelDeployment> {
  byId(id: Id<'modelDeployment'>): Promise<ModelDeployment | null> {
    return this.findOne({ id }, { populate: ['model'], refresh: true });
  }

  lockById(id: Id<'modelDeployment'>): Promise<ModelDeployment | null> {
    return this.findOne({ id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Locks the deployment that starts or is live. A model has at most one. */
  lockCurrent(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: UNDER_WAY }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  current(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: UNDER_WAY });
  }

  currentOf(modelIds: Id<'model'>[]): Promise<ModelDeployment[]> {
    return this.find({ model: { $in: modelIds }, state: UNDER_WAY });
  }

  /** Returns the deployments that have the name now, each with its model. */
  currentNamed(projectId: Id<'project'>, name: string): Promise<ModelDeployment[]> {
    return this.find({ project: projectId, name, state: UNDER_WAY }, { populate: ['model'] });
  }

  /** Counts the deployed adapters that need this model. */
  countUsing(baseModelId: Id<'model'>): Promise<number> {
    return this.count({ baseModel: baseModelId, state: UNDER_WAY });
  }

  liveOf(modelId: Id<'model'>): Promise<ModelDeployment | null> {
    return this.findOne({ model: modelId, state: 'LIVE' });
  }

  newestLiveNamed(projectId: Id<'project'>, name: string): Promise<ModelDeployment | null> {
    return this.findOne({ project: projectId, name, state: 'LIVE' }, { orderBy: { id: 'desc' } });
  }

  live(projectId: Id<'project'>): Promise<ModelDeployment[]> {
    return this.find({ project: projectId, state: 'LIVE' }, { orderBy: { id: 'desc' } });
  }

  /**
   * Claims a deployment that no live process has claimed and that fits into the room. Processes that claim at the same
   * time skip rows that another one has locked.
   */
  claim(processId: string, host: string, room: number): Statement<ClaimedDeployment | null> {
    return row(sql`
      with claimed as (
        update model_deployment set holder = ${processId}
        where id = (
          select id from model_deployment d where host = ${host} and ${TO_SERVE}
            and not ${IS_CLAIMED} and (scaling_parameters->>'minReplicas')::int <= ${room}
          order by id limit 1 for update skip locked)
        returning *)
      ${readClaimed()}`);
  }

  /** Releases all claims of a process, so that others may claim its deployments while it is still alive. */
  releaseAll(processId: string): Statement<void> {
    return write(sql`update model_deployment set holder = null where holder = ${processId}`);
  }

  noteProgress(processId: string, id: Id<'modelDeployment'>, percentage: number): Statement<void> {
    return write(sql`
      update model_deployment set progress = ${percentage}
      where id = ${id} and holder = ${processId} and state = 'STARTING'`);
  }

  /** Writes why a deployment cannot start. The dock job that waits for it then fails, and no process claims it again. */
  noteTrouble(processId: string, id: Id<'modelDeployment'>, trouble: Failure): Statement<void> {
    return write(sql`
      update model_deployment set trouble = ${JSON.stringify(trouble)}, holder = null
      where id = ${id} and holder = ${processId} and state = 'STARTING'`);
  }

  servingStateOf(id: Id<'modelDeployment'>): Statement<ServingState | null> {
    return row(sql`
      select ${someColumnsOf(ModelDeployment, ['progress', 'trouble'], 'd')}, ${IS_CLAIMED} as "isClaimed",
        (select count(*)::int from model_replica r join model_host h on h.holder = r.holder
         where r.deployment_id = d.id and h.lease_until > now()) as ready
      from model_deployment d where d.id = ${id}`);
  }

  /** Returns the deployments that a kind of host has to serve. */
  toServeOn(host: string): Statement<Id<'modelDeployment'>[]> {
    return rows<{ id: Id<'modelDeployment'> }>(
      sql`select d.id from model_deployment d where d.host = ${host} and ${TO_SERVE}`,
    ).as((deployments) => deployments.map(({ id }) => id));
  }

  /** Returns the files that deployments need. */
  filesInUse(): Statement<Id<'file'>[]> {
    return rows<{ id: Id<'file'> | null }>(sql`
      select unnest(array[m.file_id, b.file_id]) as id from model_deployment d join model m on m.id = d.model_id
      left join model b on b.id = d.base_model_id where d.state in ('STARTING', 'LIVE')`).as((files) =>
      files.flatMap(({ id }) => (id === null ? [] : [id])),
    );
  }
}

/** Reads the deployments that a statement calls `claimed`, with the files of their models. */
export function readClaimed(): Sql {
  return sql`
      select ${someColumnsOf(ModelDeployment, ['id', 'projectId', 'scalingParameters', 'deviceType'], 'd')},
        d.state = 'STARTING' as "isStarting", m.kind, m.file_id as "fileId", m.facts->>'entry' as entry,
        b.file_id as "baseFileId", b.facts->>'entry' as "baseEntry"
      from claimed d join model m on m.id = d.model_id left join model b on b.id = d.base_model_id`;
}
