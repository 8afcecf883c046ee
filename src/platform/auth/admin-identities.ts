import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import { isId } from '../../kernel/ids.js';
import { ADMIN_ROLES } from '../../kernel/roles.js';
import { displayName } from '../../kernel/schema.js';
import { withinTime } from '../../kernel/time-limit.js';
import { PublicOrigin } from '../links/public-origin.js';
import { httpErrors } from '../route/http.errors.js';
import { Log } from '../telemetry/log.js';
import {
  adminIdentities,
  type AdminIdentity,
  type IdentifiedRequest,
  type IdentityDescription,
  type KnownPerson,
} from './admin-identity.js';
import { AdminKeyIdentity } from './admin-key.identity.js';
import { Digests } from './digests.js';

/** A class of a plugin may return anything, and this is in the audit and decides about rights. */
const Person = z.object({
  subject: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  name: displayName,
  role: z.enum(ADMIN_ROLES).nullable(),
  projectRoles: z.map(
    z.string().refine((text) => isId('project', text)),
    z.enum(ADMIN_ROLES),
  ),
}) satisfies z.ZodType<KnownPerson>;

/** How long an identity may take, and how many requests may wait for one at a time. Others are not to wait for it. */
const LONGEST_MS = 5_000;
const MAX_ASKED = 64;

interface NamedIdentity extends IdentityDescription {
  readonly identity: AdminIdentity;
}

/** The identities of administrators: keys, OpenID Connect, and those of plugins. */
@Injectable()
export class AdminIdentities implements OnModuleInit {
  private identities: ReadonlyMap<string, NamedIdentity> = new Map();
  /** The identities whose basis failed when it was last asked for, so that the log has each failure once. */
  private readonly failing = new Set<string>();
  /** The number of requests that wait for identities now. */
  private asked = 0;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly keys: AdminKeyIdentity,
    private readonly digests: Digests,
    private readonly address: PublicOrigin,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.identities = adminIdentities.find(this.discovery, (description, identity) => ({ ...description, identity }));
  }

  /**
   * Returns who sends the request, or null if no identity knows. Keys come first, because a caller who sends one means it
   * even if a proxy has added the name of a person.
   */
  async ofRequest(request: IdentifiedRequest): Promise<AdminActor | null> {
    const key = await this.keys.keyIn(request);
    if (key) return { ...key, kind: 'admin' };
    for (const each of this.identities.values()) {
      const person = await this.personIn(request, each);
      if (person) return person;
    }
    return null;
  }

  /** Returns the person whom one identity knows. It is not asked while it is off, nor about requests for other sites. */
  async personIn(request: IdentifiedRequest, { name, identity }: NamedIdentity): Promise<AdminActor | null> {
    if (this.basisOf(name) === null || this.isOfAnotherSite(request)) return null;
    if (this.asked >= MAX_ASKED) throw httpErrors.overloaded();
    this.asked++;
    try {
      const person = await this.inTime(name, identity.ofRequest(request));
      return person ? actorOf(name, person) : null;
    } finally {
      this.asked--;
    }
  }

  /** Waits for what an identity does. It may call a system that hangs. */
  inTime<T>(name: string, work: Promise<T>): Promise<T> {
    return withinTime(LONGEST_MS, work, () => new Error(`The identity ${name} took longer than ${LONGEST_MS} ms`));
  }

  /** Returns the identities that the console offers now. */
  inConsole(): NamedIdentity[] {
    return [...this.identities.values()].filter(({ name, inConsole }) => inConsole && this.basisOf(name) !== null);
  }

  /** Returns the digest of the settings on which sessions of the identity depend, or null if it is off or gone. */
  basisDigest(name: string): string | null {
    const basis = this.basisOf(name);
    return basis === null ? null : this.digests.of(basis);
  }

  /** Returns the basis of an identity. One that is gone, or whose basis fails, counts as off, so that others go on. */
  private basisOf(name: string): string | null {
    try {
      // A class in JavaScript may return undefined if it is off, or what is no text.
      const basis: unknown = this.identities.get(name)?.identity.basis() ?? null;
      if (basis instanceof Promise) basis.catch(() => undefined);
      if (basis !== null && typeof basis !== 'string') throw new Error('A basis must be a text or null');
      this.failing.delete(name);
      return basis;
    } catch (err) {
      if (!this.failing.has(name))
        this.log.error({ err }, `The identity ${name} is left out, because its basis failed`);
      this.failing.add(name);
      return null;
    }
  }

  /**
   * Whether a browser sends the request for a page of another site. A browser or a proxy adds to such requests, too, what
   * identifies the person, but not a key. Browsers send `Sec-Fetch-Site` over HTTPS and on localhost only, and `Origin`
   * with all requests that change something.
   */
  private isOfAnotherSite({ headers }: IdentifiedRequest): boolean {
    const { origin, 'sec-fetch-site': site } = headers;
    if (site !== undefined) return site !== 'same-origin' && site !== 'none';
    return origin !== undefined && origin !== new URL(this.address.url()).origin;
  }
}

/** Makes a caller of the person whom the identity of this name has returned. */
export function actorOf(name: string, known: KnownPerson): AdminActor {
  const { data, error } = Person.safeParse(known);
  if (error) throw new Error(`The identity ${name} has returned a malformed person`, { cause: error });
  const { subject, ...others } = data;
  return { kind: 'admin', keyId: null, ...others, person: { identity: name, subject } };
}
