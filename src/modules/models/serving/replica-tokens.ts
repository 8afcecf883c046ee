import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import type { ModelReplicaRow } from '../model-replica.entity.js';

const tokenColumn = defineSealed({ table: 'model_replica', column: 'token_sealed' });

/** Seals and opens the tokens that callers send to replicas. Each replica has a token of its own. */
@Injectable()
export class ReplicaTokens {
  constructor(private readonly vault: Vault) {}

  seal(token: string, id: Id<'modelReplica'>): string {
    return this.vault.seal(token, tokenColumn, id);
  }

  open({ id, tokenSealed }: ModelReplicaRow): string {
    return this.vault.open(tokenSealed, tokenColumn, id);
  }
}
