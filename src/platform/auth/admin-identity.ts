import type { IncomingHttpHeaders } from 'node:http';
import type { DefinedError } from '../../kernel/errors.js';
import type { HeldRoles } from '../../kernel/roles.js';
import { StartError } from '../../kernel/start-error.js';
import { NamedMark } from '../extension/named-mark.js';

/** A person whom an identity knows, with the roles that count now. */
export interface KnownPerson extends HeldRoles {
  /** Identifies the person for this identity: up to 255 characters of ASCII. It never changes. */
  readonly subject: string;
  /** The name that the audit and the console show: up to 128 characters on one line. */
  readonly name: string;
}

/** The part of a request that identifies its sender. The names of headers are in lower case. */
export interface IdentifiedRequest {
  readonly headers: IncomingHttpHeaders;
}

export interface IdentityDescription {
  /** Is made of lower-case letters, digits and hyphens. It is in the audit and in addresses: `acme` and `acme:ada`. */
  readonly name: string;
  /** The name for people, as in "Sign in with Acme". */
  readonly title: string;
  /** Whether the console offers to sign in with it. */
  readonly inConsole?: boolean;
  /** The errors that its methods throw. The documents list them for all routes of the administration and the sign-in. */
  readonly errors?: readonly DefinedError[];
}

/** Knows administrators. Its class is marked with `@IdentifiesAdministrators`. */
export abstract class AdminIdentity {
  /**
   * Returns all settings that decide whom it knows, as one text of which only a digest is stored. Console sessions of its
   * people end when the text changes. Null if it is off.
   */
  abstract basis(): string | null;

  /**
   * Returns who sends a request, or null if the request has nothing that this identity reads. If it has and that is
   * invalid, one of the plugin's own errors is thrown. It is called for each request while the identity is on.
   */
  ofRequest(_request: IdentifiedRequest): Promise<KnownPerson | null> {
    return Promise.resolve(null);
  }
}

/** The values of one sign-in that the request to a provider and the check of its answer have in common. */
export interface SignInValues {
  readonly state: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
  readonly nonce: string;
  /** The address of Slipway to which the provider sends the browser back, with `state`. */
  readonly redirectUri: string;
}

/** Knows people whom a provider signs in, to which the console sends their browsers. */
export abstract class SignInIdentity extends AdminIdentity {
  /** Returns the address at which the person signs in. It is called only while the identity is on. */
  abstract begin(values: SignInValues): Promise<string>;

  /** Returns the person whom the provider has sent back. The state in the query is already checked. */
  abstract complete(sentBack: URLSearchParams, values: SignInValues): Promise<KnownPerson>;
}

export const adminIdentities = new NamedMark<AdminIdentity, IdentityDescription>(
  [AdminIdentity],
  'identify administrators as',
  ({ name }) => [name],
);

const NAME = /^[a-z][a-z0-9-]*$/;

/** Marks a class that extends AdminIdentity or SignInIdentity. Requests of the administration are identified by it. */
export function IdentifiesAdministrators(description: IdentityDescription): ClassDecorator {
  const { name } = description;
  if (!NAME.test(name)) {
    throw new StartError(`The identity ${name} needs another name, of lower-case letters, digits and hyphens.`);
  }
  return adminIdentities.marks(description);
}
