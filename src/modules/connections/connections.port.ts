import type { z } from 'zod';
import type { Id } from '../../kernel/ids.js';
import { NamedMark } from '../../platform/extension/named-mark.js';
import type { Issue } from '../../platform/route/validation.js';
import type { ModelProtocol, ModelRequest } from '../gateway/gateway.port.js';
import type { JsonObject } from './secret-members.js';

/** A request that creates a connection. */
export interface ConnectionBody {
  provider: string;
  connectionName: string;
  model: string;
  modelType?: 'EASY_INTEGRATION' | undefined;
  fields: Record<string, unknown>;
}

export type ConnectionBodySchema = z.ZodType<ConnectionBody> & z.core.$ZodTypeDiscriminable;

/** The schemas of the members beside `fields`. */
export interface CommonMembers {
  provider: z.ZodType<string>;
  connectionName: z.ZodType<string>;
  model: z.ZodType<string>;
  modelType: z.ZodType<ConnectionBody['modelType']>;
}

/** A protocol in its own words. */
export interface ProtocolDescription {
  /** The name in requests, answers and rows. It never changes. */
  readonly provider: string;
  /** Further names that requests may use. */
  readonly alsoCalled?: readonly string[];
  /** The name that people see. */
  readonly title: string;
  /** The name of the provider in the ledger and its prices. */
  readonly ledgerName: string;
  /**
   * The schema of `fields`. Forms show the members that have a `title`, with their description as a hint. Those made
   * with `secretField` are sealed.
   */
  readonly fields: z.ZodObject;
  /** The fields with addresses to which calls go. */
  readonly addresses?: readonly string[];
  /** Whether a request has to send `modelType`. */
  readonly needsModelType?: boolean;
  /** Whether only administrators change its connections, and not keys. */
  readonly isChangedByAdministratorsOnly?: boolean;
  /** The schema of the whole request, if it may have more than `fields`. */
  readonly body?: (common: CommonMembers) => ConnectionBodySchema;
}

/** A connection that is called. */
export interface CalledConnection<Fields> {
  readonly projectId: Id<'project'>;
  /** The name of the model at the provider. */
  readonly model: string;
  readonly fields: Fields;
}

export interface ConnectionWarning {
  path: string;
  message: string;
}

/** A protocol in which the models of connections are called. Its class is marked with `@ConnectsTo`. */
export abstract class ConnectionProtocol<Fields = JsonObject> {
  /** Makes the model, which sends all its requests through `send`, the guarded client. */
  abstract model(connection: CalledConnection<Fields>, send: typeof fetch): ModelProtocol;

  /** Returns why the model does not support the request, as the predicate of a sentence; undefined if it does. */
  refusalOf(_request: ModelRequest, _connection: CalledConnection<Fields>): string | undefined {
    return undefined;
  }

  /** Returns a sentence if something is known to be wrong before a test calls the model, such as a missing model. */
  problemOf(_connection: CalledConnection<Fields>, _send: typeof fetch): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** Returns the faults of valid fields that a schema cannot find. They are looked for before fields are stored. */
  faultsIn(_fields: Fields, _projectId: Id<'project'>): Promise<Issue[]> {
    return Promise.resolve([]);
  }

  /** Returns warnings of fields that are accepted, but may not have the expected effect. */
  warningsOf(_fields: Fields): ConnectionWarning[] {
    return [];
  }
}

export const connectionProtocols = new NamedMark<ConnectionProtocol, ProtocolDescription>(
  [ConnectionProtocol],
  'call the provider',
  ({ provider, alsoCalled = [] }) => [provider, ...alsoCalled],
);

/** Marks a class that extends ConnectionProtocol. Connections find it by the names of its provider. */
export function ConnectsTo(description: ProtocolDescription): ClassDecorator {
  return connectionProtocols.marks(description);
}
