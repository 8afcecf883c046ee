import { noteDefinition } from './named-definitions.js';

/** An error for users. It is declared once, thrown by name, and listed in `docs/errors.md`. */
export interface ErrorSpec {
  readonly status: number;
  readonly code: string;
  /**
   * The text says what happened and what to do next. `{name}` is replaced by a value that is given when the error is
   * thrown.
   */
  readonly message: string;
  /** The seconds after which the request may succeed. */
  readonly retryAfter?: number;
  /** The unique index whose violation causes this error. */
  readonly unique?: string;
  /** An example for the documentation: the values of the placeholders, and the members beside the message. */
  readonly example?: { values?: Values } & Pick<ErrorExtras, 'details' | 'required'>;
}

export interface ErrorExtras {
  /** Members of `error.details`. */
  details?: Record<string, unknown>;
  /** The permissions that the request lacked, which are beside `error` in the body. */
  required?: readonly string[];
  retryAfter?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

type Values = Record<string, string | number>;

type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** Makes the error. The values of the message's placeholders come first if it has any. */
type MakeError<Message extends string> = [Placeholder<Message>] extends [never]
  ? (extras?: ErrorExtras) => SlipwayError
  : (values: Record<Placeholder<Message>, string | number>, extras?: ErrorExtras) => SlipwayError;

export interface DefinedError {
  readonly spec: ErrorSpec;
}

export class SlipwayError extends Error {
  constructor(
    readonly spec: ErrorSpec,
    message: string,
    readonly extras: ErrorExtras = {},
  ) {
    super(message, { cause: extras.cause });
    this.name = 'SlipwayError';
  }
}

const catalogue = new Map<string, ErrorSpec>();

export function defineErrors<const T extends Record<string, ErrorSpec>>(
  specs: T,
): { readonly [K in keyof T]: DefinedError & MakeError<T[K]['message']> } {
  const entries = Object.entries(specs).map(([name, spec]) => {
    noteDefinition('error code', spec.code);
    catalogue.set(spec.code, spec);
    return [name, Object.assign(makerOf(spec), { spec })];
  });
  return Object.fromEntries(entries) as { [K in keyof T]: DefinedError & MakeError<T[K]['message']> };
}

export function errorCatalogue(): ErrorSpec[] {
  return [...catalogue.values()].sort((a, b) => a.code.localeCompare(b.code));
}

/** Why something failed that was accepted: written in its record, and listed with the errors. */
interface ReasonList {
  readonly title: string;
  readonly introduction: string;
  readonly reasons: Readonly<Record<string, string>>;
}

const reasonLists: ReasonList[] = [];

export function defineReasons<const T extends Record<string, string>>(list: ReasonList & { readonly reasons: T }): T {
  reasonLists.push(list);
  return list.reasons;
}

export function reasonCatalogue(): ReasonList[] {
  return reasonLists.toSorted((a, b) => a.title.localeCompare(b.title));
}

export function findError(code: string): ErrorSpec {
  const spec = catalogue.get(code);
  if (!spec) throw new Error(`There is no error ${code}`);
  return spec;
}

/** Makes the error with the values of its example. */
export function exampleError(spec: ErrorSpec): SlipwayError {
  const { values = {}, ...extras } = spec.example ?? {};
  return new SlipwayError(spec, fill(spec.message, values), extras);
}

function makerOf(spec: ErrorSpec): MakeError<''> | MakeError<`{${string}}`> {
  if (!spec.message.includes('{')) return (extras?: ErrorExtras) => new SlipwayError(spec, spec.message, extras);
  return (values: Values, extras?: ErrorExtras) => new SlipwayError(spec, fill(spec.message, values), extras);
}

function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
