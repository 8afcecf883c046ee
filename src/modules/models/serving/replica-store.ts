import { Inject, Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import type { ScalingParameters } from '../deploy-model.schema.js';
import type { Failure, ModelKind } from '../model.entity.js';

/** How long a process that says nothing more is believed to serve. */
const LEASE = `interval '6 seconds'`;

const tokenColumn = defineSealed({ table: 'model_replica', column: 'token_sealed' });

/** A deployment as its holder needs it. */
export interface HeldDeployment {
  id: Id<'modelDeployment'>;
  projectId: Id<'project'>;
  isStarting: boolean;
  kind: ModelKind;
  fileId: Id<'file'> | null;
  entry: string | null;
  baseFileId: Id<'file'> | null;
  baseEntry: string | null;
  scaling: ScalingParameters;
}

const HELD = `d.id, d.project_id as "projectId", d.state = 'STARTING' as "isStarting", m.kind, m.file_id as "fileId",
  m.facts->>'entry' as entry, b.file_id as "baseFileId", b.facts->>'entry' as "baseEntry", d.scaling_parameters as scaling`;
const UNDER_WAY = `d.state in ('STARTING', 'LIVE') and d.trouble is null`;

/** Who serves which deployment, for as long as its lease runs. On connections of its own, so that leases are renewed. */
@Injectable()
export class ReplicaStore {
  constructor(
    @Inject(WORKER_STATEMENTS) private readonly statements: Statements,
    private readonly vault: Vault,
  ) {}

  /** Renews what the process holds, and says what that is. */
  renew(holder: string): Promise<HeldDeployment[]> {
    return this.statements.run<HeldDeployment>(
      `with held as (
         update model_deployment d set lease_until = now() + ${LEASE} where holder = $1 and ${UNDER_WAY} returning *),
       replicas as (update model_replica set lease_until = now() + ${LEASE} where holder = $1)
       select ${HELD} from held d join model m on m.id = d.model_id left join model b on b.id = d.base_model_id`,
      [holder],
    );
  }

  /** One that nobody holds and that fits; of several processes one gets it. */
  async claim(holder: string, host: string, room: number): Promise<HeldDeployment | undefined> {
    const [claimed] = await this.statements.run<HeldDeployment>(
      `with held as (
         update model_deployment d set holder = $1, lease_until = now() + ${LEASE}
         where id = (
           select id from model_deployment d where host = $2 and ${UNDER_WAY}
             and (holder is null or lease_until < now()) and (scaling_parameters->>'minReplicas')::int <= $3
           order by id limit 1 for update skip locked)
         returning *)
       select ${HELD} from held d join model m on m.id = d.model_id left join model b on b.id = d.base_model_id`,
      [holder, host, room],
    );
    return claimed;
  }

  /** Another process may take it at once. */
  async release(holder: string, id?: Id<'modelDeployment'>): Promise<void> {
    await this.statements.run(
      `update model_deployment set holder = null, lease_until = null where holder = $1 and ($2::text is null or id = $2)`,
      [holder, id ?? null],
    );
  }

  /** That the process could serve so many more, or why it cannot. */
  async announce(holder: string, host: string, room: number, problem: string | null): Promise<void> {
    await this.statements.run(
      `insert into model_host (holder, host, room, problem, lease_until) values ($1, $2, $3, $4, now() + ${LEASE})
       on conflict (holder) do update set room = $3, problem = $4, lease_until = now() + ${LEASE}`,
      [holder, host, room, problem],
    );
  }

  async leave(holder: string): Promise<void> {
    await this.statements.run('delete from model_host where holder = $1', [holder]);
  }

  async noteProgress(holder: string, id: Id<'modelDeployment'>, percentage: number): Promise<void> {
    await this.statements.run(
      `update model_deployment set progress = $3 where id = $2 and holder = $1 and state = 'STARTING'`,
      [holder, id, percentage],
    );
  }

  /** Why it cannot start: whoever waits for it is told, and nobody tries again. */
  async noteTrouble(holder: string, id: Id<'modelDeployment'>, trouble: Failure): Promise<void> {
    await this.statements.run(
      `update model_deployment set trouble = $3, holder = null, lease_until = null
       where id = $2 and holder = $1 and state = 'STARTING'`,
      [holder, id, JSON.stringify(trouble)],
    );
  }

  /** Nothing where the process does not hold the deployment any more. */
  async addReplica(
    holder: string,
    replica: {
      id: Id<'modelReplica'>;
      deploymentId: Id<'modelDeployment'>;
      host: string;
      address: string;
      token: string;
    },
  ): Promise<void> {
    const { id, deploymentId, host, address, token } = replica;
    await this.statements.run(
      `insert into model_replica (id, deployment_id, holder, host, address, token_sealed, started_at, lease_until)
       select $1, $2, $3, $4, $5, $6, now(), now() + ${LEASE} from model_deployment where id = $2 and holder = $3`,
      [id, deploymentId, holder, host, address, this.vault.seal(token, tokenColumn, id)],
    );
  }

  async removeReplica(id: Id<'modelReplica'>): Promise<void> {
    await this.statements.run('delete from model_replica where id = $1', [id]);
  }

  async removeReplicasOf(holder: string): Promise<void> {
    await this.statements.run('delete from model_replica where holder = $1', [holder]);
  }

  /** The files that deployments need. */
  async filesInUse(): Promise<string[]> {
    const rows = await this.statements.run<{ id: string | null }>(
      `select unnest(array[m.file_id, b.file_id]) as id from model_deployment d join model m on m.id = d.model_id
       left join model b on b.id = d.base_model_id where d.state in ('STARTING', 'LIVE')`,
    );
    return rows.flatMap(({ id }) => (id === null ? [] : [id]));
  }
}

export { tokenColumn };
