import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { JwtClient, type NewJwtClient } from './jwt-client.entity.js';
import { JwtClientKeys } from './jwt-client-keys.js';
import { JwtClientRepository } from './jwt-client.repository.js';

export interface NewClient {
  client: JwtClient;
  /** Shown to the caller once, and otherwise only sealed. Null where the client signs with a key of its own. */
  secret: string | null;
}

export interface JwtClientChange {
  name?: string | undefined;
  requireExp?: boolean | undefined;
  enforceJti?: boolean | undefined;
}

/** Who may tell of conversations: clients of a project, each with a secret or a public key. */
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
    { publicKey, ...wish }: NewJwtClient & { publicKey?: string | undefined },
  ): Promise<NewClient> {
    return this.database.transaction(actor, async (tx) => {
      const client = new JwtClient(await this.tenancy.project(projectId), wish);
      const key = this.keys.make(client.algorithm, publicKey);
      client.setKey(this.keys.seal(client.id, key), key.hint, null);
      tx.em.persist(client);
      return { client, secret: key.secret };
    });
  }

  async list(projectId: Id<'project'>, request: PageRequest): Promise<Page<JwtClient>> {
    await this.tenancy.project(projectId);
    return this.clients.page(projectId, request);
  }

  async read(clientId: Id<'jwtClient'>): Promise<JwtClient> {
    return found(await this.clients.byId(clientId));
  }

  change(actor: Actor, clientId: Id<'jwtClient'>, wish: JwtClientChange): Promise<JwtClient> {
    return this.database.transaction(actor, async () => {
      const client = found(await this.clients.lock(clientId));
      client.name = wish.name ?? client.name;
      client.requireExp = wish.requireExp ?? client.requireExp;
      client.enforceJti = wish.enforceJti ?? client.enforceJti;
      return client;
    });
  }

  /** A new secret, or the public key that is given; the one before it goes on for as long as is said. */
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
