import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { jwtClientList, type JwtClientsRequest } from './jwt-client.list.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { JwtClient, type NewJwtClient } from './jwt-client.entity.js';
import { JwtClientKeys } from './jwt-client-keys.js';
import { JwtClientRepository } from './jwt-client.repository.js';

export interface NewClient {
  client: JwtClient;
  /** The caller sees the secret once, and it is stored sealed. Null if the client signs with its own private key. */
  secret: string | null;
}

export interface JwtClientChange {
  name?: string | undefined;
  requireExp?: boolean | undefined;
  enforceJti?: boolean | undefined;
}

/** Manages the clients of a project that may report conversations, each with a secret or a public key. */
@Injectable()
export class JwtClientsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly clients: JwtClientRepository,
    private readonly keys: JwtClientKeys,
  ) {}

  create(
    actor: Actor,
    projectId: Id<'project'>,
    { publicKey, ...properties }: NewJwtClient & { publicKey?: string | undefined },
  ): Promise<NewClient> {
    return this.database.transaction(actor, async (tx) => {
      const client = new JwtClient(await this.tenancy.project(projectId), properties);
      const key = this.keys.make(client.algorithm, publicKey);
      client.setKey(this.keys.seal(client.id, key), key.hint, null);
      tx.em.persist(client);
      return { client, secret: key.secret };
    });
  }

  async list(projectId: Id<'project'>, request: JwtClientsRequest): Promise<Page<JwtClient>> {
    await this.tenancy.project(projectId);
    return jwtClientList.page(this.clients, { project: projectId }, request);
  }

  async read(clientId: Id<'jwtClient'>): Promise<JwtClient> {
    return found(await this.clients.byId(clientId));
  }

  change(actor: Actor, clientId: Id<'jwtClient'>, change: JwtClientChange): Promise<JwtClient> {
    return this.database.transaction(actor, async () => {
      const client = found(await this.clients.lock(clientId));
      client.name = change.name ?? client.name;
      client.requireExp = change.requireExp ?? client.requireExp;
      client.enforceJti = change.enforceJti ?? client.enforceJti;
      return client;
    });
  }

  /** Gives the client a new secret or the given public key. The previous key stays valid for `graceSeconds`. */
  rotate(
    actor: Actor,
    clientId: Id<'jwtClient'>,
    { publicKey, graceSeconds }: { publicKey?: string | undefined; graceSeconds: number },
  ): Promise<NewClient> {
    return this.database.transaction(actor, async () => {
      const client = found(await this.clients.lock(clientId));
      const key = this.keys.make(client.algorithm, publicKey);
      const sealed = graceSeconds > 0 ? this.keys.sealAsPrevious(client.id, client.keySealed) : null;
      const until = new Date(clock.now().getTime() + graceSeconds * 1000);
      client.setKey(this.keys.seal(client.id, key), key.hint, sealed === null ? null : { sealed, until });
      return { client, secret: key.secret };
    });
  }

  async delete(actor: Actor, clientId: Id<'jwtClient'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(found(await this.clients.lock(clientId)));
    });
  }
}

function found(client: JwtClient | null): JwtClient {
  if (!client) throw agentAssistErrors.jwtClientNotFound();
  return client;
}
