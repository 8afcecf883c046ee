import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import { isId } from '../../kernel/ids.js';
import { ADMIN_ROLES } from '../../kernel/roles.js';
import { PublicOrigin } from '../links/public-origin.js';
import {
  adminIdentities,
  type AdminIdentity,
  type IdentifiedRequest,
  type IdentityDescription,
  type KnownAdminKey,
  type KnownPerson,
} from './admin-identity.js';
import { ADMIN_KEYS } from './admin-key.identity.js';
import { Digests } from './digests.js';

/** A class of a plugin may return anything, and this is in the audit and decides about rights. */
const Person = z.object({
  subject: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  name: z.string().min(1).max(128),
  role: z.enum(ADMIN_ROLES).nullable(),
  projectRoles: z.map(
    z.string().refine((text) => isId('project', text)),
    z.enum(ADMIN_ROLES),
  ),
}) satisfies z.ZodType<KnownPerson>;

interface Marked extends IdentityDescription {
  readonly identity: AdminIdentity;
}

/** The identities of administrators: keys, OpenID Connect, and those of plugins. */
@Injectable()
export class AdminIdentities implements OnModuleInit {
  private identities: ReadonlyMap<string, Marked> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly digests: Digests,
    private readonly address: PublicOrigin,
  ) {}

  onModuleInit(): void {
    this.identities = adminIdentities.find(this.discovery, (description, identity) => ({ ...description, identity }));
  }

  /**
   * Returns who sends the request, or null if no identity knows. Keys come first, because a caller who sends one means it
   * even if a proxy has added the name of a person.
   */
  async ofRequest(request: IdentifiedRequest): Promise<AdminActor | null> {
    const isForeign = this.isOfAnotherSite(request);
    for (const { name, identity } of this.identities.values()) {
      if (isForeign && name !== ADMIN_KEYS) continue;
      const known = await identity.ofRequest(request);
      if (known) return actorOf(name, known);
    }
    return null;
  }

  /** Returns the identities that the console offers now. */
  inConsole(): Marked[] {
    return [...this.identities.values()].filter(({ identity, inConsole }) => inConsole && identity.basis() !== null);
  }

  /** Returns the digest of the settings on which sessions of the identity depend, or null if it is off or gone. */
  basisDigest(name: string): string | null {
    const basis = this.identities.get(name)?.identity.basis() ?? null;
    return basis === null ? null : this.digests.of(basis);
  }

  /**
   * Whether a browser sends the request for a page of another site. A browser or a proxy adds to such requests, too, what
   * identifies the person, but not a key. Browsers send `Sec-Fetch-Site` over HTTPS and on localhost only, and `Origin`
   * with all requests that change something.
   */
  private isOfAnotherSite({ headers }: IdentifiedRequest): boolean {
    const { origin, 'sec-fetch-site': site } = headers;
    if (site !== undefined) return site === 'cross-site' || site === 'same-site';
    return origin !== undefined && origin !== new URL(this.address.url()).origin;
  }
}

/** Makes a caller of what the identity of this name has returned. */
export function actorOf(name: string, known: KnownPerson | KnownAdminKey): AdminActor {
  if ('keyId' in known) return { ...known, kind: 'admin' };
  const { data, error } = Person.safeParse(known);
  if (error) throw new Error(`The identity ${name} has returned a malformed person`, { cause: error });
  const { subject, ...others } = data;
  return { kind: 'admin', keyId: null, ...others, person: { identity: name, subject } };
}
