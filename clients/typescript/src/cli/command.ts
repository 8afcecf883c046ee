import type { ParseArgsOptionsConfig } from 'node:util';
import type { Slipway } from '../slipway.js';
import type { Access } from './access.js';
import { shown } from './table.js';
import type { Terminal } from './terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An error is shown with these ids, as soon as they are known. */
export interface Facts {
  dockStatusId?: string;
  runId?: string;
}

/** One call of a command, with its words and options. */
export interface Invocation {
  words: readonly string[];
  text(option: string): string | undefined;
  /** The values of an option that may be given several times. */
  texts(option: string): readonly string[];
  isSet(option: string): boolean;
  /** Whether the results are JSON, one value a line. */
  isJson: boolean;
  env: Environment;
  terminal: Terminal;
  access: Access;
  facts: Facts;
  /** A client with the keys of the options, of the environment or of the login. */
  slipway(): Promise<Slipway>;
}

/** One form of a command. */
export interface Action {
  usage: string;
  options?: ParseArgsOptionsConfig;
  /** The words that it takes. Unless given, it takes any. */
  words?: readonly string[];
  /** Options that exclude each other. */
  excludes?: readonly (readonly [string, string])[];
  /** Whether it needs an administration key, or takes one. */
  adminKey?: 'needed' | 'taken';
  /** It reaches no service, and so takes no address. */
  isLocal?: boolean;
  run(call: Invocation): Promise<void>;
}

export interface Picked {
  action: Action;
  /** The words after those that have chosen the action. */
  words: readonly string[];
  /** How the action is called in a sentence. */
  called: string;
}

export interface Command {
  summary: string;
  notes?: string;
  actions: readonly Action[];
  pick(words: readonly string[]): Picked;
}

/** The command was called in a way that it does not have. */
export class UsageError extends Error {}

/** A command whose first word names the action. */
export function actionsByName(
  command: string,
  actions: Record<string, Action>,
  usual: string,
): Pick<Command, 'actions' | 'pick'> {
  return {
    actions: Object.values(actions),
    pick([name = usual, ...words]) {
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (action) return { action, words, called: `slipway ${command} ${name}` };
      const message = `slipway ${command} has no action ${shown(name)}. slipway ${command} --help lists them.`;
      throw new UsageError(message);
    },
  };
}

/** A command that has one form. */
export function oneAction(command: string, action: Action): Pick<Command, 'actions' | 'pick'> {
  return { actions: [action], pick: (words) => ({ action, words, called: `slipway ${command}` }) };
}

/** Returns a count that an option gives, or the usual one. */
export function countOf(call: Invocation, option: string, usual: number): number {
  const given = call.text(option);
  const count = given === undefined ? usual : Number(given);
  if (given !== undefined && (!/^\d+$/.test(given) || !Number.isSafeInteger(count)))
    throw new UsageError(`--${option} takes a whole number, not "${shown(given)}".`);
  return count;
}
