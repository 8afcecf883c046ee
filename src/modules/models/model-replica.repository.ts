import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, selectedRow, someColumnsOf } from '../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { rows, type Statement, theRow, write } from '../../platform/database/statement.js';
import { ModelReplica, type ModelReplicaRow } from './model-replica.entity.js';

export type NewReplica = Omit<ModelReplicaRow, 'startedAt'>;

/** A replica as people see it, without the address and the token for its callers. */
export interface ReplicaState extends Pick<
  ModelReplicaRow,
  'id' | 'deploymentId' | 'processId' | 'host' | 'startedAt'
> {
  /** Whether the process that started the replica still renews its lease. */
  isAlive: boolean;
}

/** The number of replicas that answer calls, that deployments lack, and whose process has died. */
export type ReplicaCounts = Record<'ready' | 'missing' | 'lost', number>;

/** A live deployment with fewer replicas that answer calls than it should have. */
export interface Shortage extends Record<'wanted' | 'ready', number> {
  modelId: Id<'model'>;
  name: string;
  /** Whether a live process can host models of this kind. */
  hasHost: boolean;
  /** Why a host that runs cannot serve, such as that its engine is missing. */
  hostProblem: string | null;
}

export class ModelReplicaRepository extends EntityRepository<ModelReplica> {
  /** Returns the replicas that answer calls. */
  liveOf(deploymentId: Id<'modelDeployment'>): Statement<ModelReplicaRow[]> {
    return rows(planned`
      select ${columnsOf(ModelReplica, 'r')}
      from model_replica r join model_deployment d on d.id = r.deployment_id join model_host h on h.holder = r.holder
      where r.deployment_id = ${deploymentId} and h.lease_until > now() and d.state in ('STARTING', 'LIVE')`);
  }

  /** Returns the replicas of a model's deployment that starts or is live, oldest first. */
  ofModel(modelId: Id<'model'>): Statement<ReplicaState[]> {
    const shown = someColumnsOf(ModelReplica, ['id', 'deploymentId', 'processId', 'host', 'startedAt'], 'r');
    return rows(sql`
      select ${shown}, h.lease_until > now() as "isAlive"
      from model_replica r join model_deployment d on d.id = r.deployment_id join model_host h on h.holder = r.holder
      where d.model_id = ${modelId} and d.state in ('STARTING', 'LIVE') order by r.started_at, r.id`);
  }

  /**
   * Returns the live deployments of a project that have fewer replicas than they should, and why no host adds one.
   * `fleets` are the hosts of which a deployment has one address.
   */
  shortagesIn(projectId: Id<'project'>, fleets: string[]): Statement<Shortage[]> {
    return rows(sql`
      with live as (
        select d.model_id, d.host, ${addressesOf(fleets)} as wanted,
          (select count(*)::int from model_replica r join model_host h using (holder)
           where r.deployment_id = d.id and h.lease_until > now()) as ready
        from model_deployment d where d.project_id = ${projectId} and d.state = 'LIVE')
      select m.id as "modelId", m.name, live.wanted, live.ready,
        exists (select from model_host h where h.host = live.host and h.lease_until > now() and h.problem is null) as "hasHost",
        (select max(h.problem) from model_host h where h.host = live.host and h.lease_until > now()) as "hostProblem"
      from live join model m on m.id = live.model_id where live.ready < live.wanted order by m.id`);
  }

  /** Adds nothing if the process has lost its claim of the deployment. */
  add(replica: NewReplica): Statement<void> {
    return write(sql`
      insert into model_replica ${selectedRow(ModelReplica, { ...replica, startedAt: raw('now()') })}
      from model_deployment where id = ${replica.deploymentId} and holder = ${replica.processId}`);
  }

  delete(id: Id<'modelReplica'>): Statement<void> {
    return write(sql`delete from model_replica where id = ${id}`);
  }

  /** Counts the replicas of the whole installation, and the addresses of fleets. */
  countByState(fleets: string[]): Statement<ReplicaCounts> {
    return theRow(sql`
      with replicas as (
        select r.deployment_id, h.lease_until > now() as lives from model_replica r join model_host h using (holder)),
      deployed as (
        select ${addressesOf(fleets)} as wanted,
          (select count(*)::int from replicas where deployment_id = d.id and lives) as ready
        from model_deployment d where d.state in ('STARTING', 'LIVE'))
      select coalesce(sum(ready), 0)::int as ready,
        coalesce(sum(greatest(wanted - ready, 0)), 0)::int as missing,
        (select count(*)::int from replicas where not lives) as lost
      from deployed`);
  }
}

/** The number of addresses that a deployment, under the name `d`, has to have. */
function addressesOf(fleets: string[]): Sql {
  return sql`case when d.host = any(${fleets}::text[]) then 1 else (d.scaling_parameters->>'minReplicas')::int end`;
}
