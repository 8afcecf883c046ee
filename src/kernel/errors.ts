/** What a user can be refused with: said once, thrown by name, listed in `docs/errors.md`. */
export interface ErrorSpec {
  readonly status: number;
  readonly code: string;
  /** What happened and what to do next. `{name}` is filled from the values given when it is thrown. */
  readonly message: string;
  /** Values for the placeholders, for documentation. */
  readonly example?: Values;
}

type Values = Record<string, string | number>;

export interface ErrorExtras {
  /** Members of `error.details`. */
  details?: Record<string, unknown>;
  /** Permissions the request lacked; stands beside `error` in the body. */
  required?: readonly string[];
  headers?: Record<string, string>;
  cause?: unknown;
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

export interface ErrorFactory {
  (values?: Values, extras?: ErrorExtras): SlipwayError;
  readonly spec: ErrorSpec;
}

const catalogue = new Map<string, ErrorSpec>();

export function defineErrors<T extends Record<string, ErrorSpec>>(specs: T): { readonly [K in keyof T]: ErrorFactory } {
  const factories = Object.entries(specs).map(([name, spec]) => {
    if (catalogue.has(spec.code)) throw new Error(`Error code ${spec.code} is defined twice`);
    catalogue.set(spec.code, spec);
    return [name, factoryOf(spec)] as const;
  });
  return Object.fromEntries(factories) as { [K in keyof T]: ErrorFactory };
}

export function errorCatalogue(): ErrorSpec[] {
  return [...catalogue.values()].sort((a, b) => a.code.localeCompare(b.code));
}

export function exampleMessage({ message, example = {} }: ErrorSpec): string {
  return fill(message, example);
}

function factoryOf(spec: ErrorSpec): ErrorFactory {
  const make = (values: Values = {}, extras: ErrorExtras = {}) =>
    new SlipwayError(spec, fill(spec.message, values), extras);
  return Object.assign(make, { spec });
}

function fill(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
