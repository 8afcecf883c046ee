import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { planned } from '../../../platform/database/sql.js';
import { Statements } from '../../../platform/database/statements.js';
import type { Failure } from '../model.entity.js';
import { tokenColumn } from './replica-store.js';

export interface LiveReplica {
  readonly id: Id<'modelReplica'>;
  readonly address: string;
  readonly token: string;
}

export interface ServingState {
  ready: number;
  progress: number;
  trouble: Failure | null;
  isHeld: boolean;
}

export interface HostState {
  room: number;
  problem: string | null;
}

/** What is served at the moment, for those who call it and those who wait for it: in any process. */
@Injectable()
export class LiveReplicas {
  constructor(
    private readonly statements: Statements,
    private readonly vault: Vault,
  ) {}

  async of(deploymentId: Id<'modelDeployment'>): Promise<LiveReplica[]> {
    const rows = await this.statements.run<{ id: Id<'modelReplica'>; address: string; sealed: string }>(
      planned`select r.id, r.address, r.token_sealed as sealed from model_replica r join model_deployment d on d.id = r.deployment_id
       where r.deployment_id = ${deploymentId} and r.lease_until > now() and d.state in ('STARTING', 'LIVE')`,
    );
    return rows.map(({ id, address, sealed }) => ({ id, address, token: this.vault.open(sealed, tokenColumn, id) }));
  }

  async stateOf(deploymentId: Id<'modelDeployment'>): Promise<ServingState | undefined> {
    const [state] = await this.statements.run<ServingState>(
      `select (select count(*)::int from model_replica r where r.deployment_id = d.id and r.lease_until > now()) as ready,
         d.progress, d.trouble, coalesce(d.lease_until > now(), false) as "isHeld"
       from model_deployment d where d.id = $1`,
      [deploymentId],
    );
    return state;
  }

  hosts(host: string): Promise<HostState[]> {
    return this.statements.run<HostState>(
      'select room, problem from model_host where host = $1 and lease_until > now()',
      [host],
    );
  }
}
