import { NamedMark } from '../extension/named-mark.js';

/** The finding of a check. The message is for people, and everyone can read it. */
export type ReadinessFinding =
  | { readonly status: 'up'; readonly message?: string }
  /** The process serves requests, but some of them fail or are slow. */
  | { readonly status: 'degraded'; readonly message: string }
  /** The process cannot serve requests, so balancers send it none. */
  | { readonly status: 'down'; readonly message: string };

export interface ReadinessCheckDescription {
  /** The name of the check in the answer of `/health/ready`. */
  readonly name: string;
  /** The message if the check throws, or takes longer than two seconds. */
  readonly failure: string;
  /** Whether the process can serve requests without what is checked. It is then degraded instead of down. */
  readonly isDispensable?: boolean;
}

/** Checks one thing that the process needs. Its class is marked with `@ChecksReadiness`. */
export abstract class ReadinessCheck {
  /** Returns null if there is nothing to say. The signal is aborted when the time is up. */
  abstract check(signal: AbortSignal): Promise<ReadinessFinding | null>;
}

export const readinessChecks = new NamedMark<ReadinessCheck, ReadinessCheckDescription>(
  [ReadinessCheck],
  'check the readiness of',
  ({ name }) => [name],
);

/** Marks a class that extends ReadinessCheck. `/health/ready` finds it. */
export function ChecksReadiness(description: ReadinessCheckDescription): ClassDecorator {
  return readinessChecks.marks(description);
}
