import type { ParseArgsOptionsConfig } from 'node:util';
import type { Slipway } from '../slipway.js';
import type { Access } from './access.js';
import type { Terminal } from './terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One call of a command, with its words and options. */
export interface Invocation {
  words: readonly string[];
  text(option: string): string | undefined;
  isSet(option: string): boolean;
  /** Whether the results are JSON, one value a line. */
  isJson: boolean;
  env: Environment;
  terminal: Terminal;
  access: Access;
  /** A client with the key of the login or of the environment. */
  slipway(): Promise<Slipway>;
}

export interface Command {
  summary: string;
  /** The forms of the command, one a line. */
  usage: string;
  options: ParseArgsOptionsConfig;
  run(call: Invocation): Promise<void>;
}

/** The command was called in a way that it does not have. */
export class UsageError extends Error {}

/** Returns a count that an option gives, or the usual one. */
export function countOf(call: Invocation, option: string, usual: number): number {
  const given = call.text(option);
  const count = given === undefined ? usual : Number(given);
  if (given !== undefined && (!Number.isInteger(count) || count < 0))
    throw new UsageError(`--${option} takes a whole number, not "${given}".`);
  return count;
}
