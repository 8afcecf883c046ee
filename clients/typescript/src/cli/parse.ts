import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError, type Action, type Command, type Picked } from './command.js';
import { usageOf } from './help.js';

const GENERAL = {
  url: { type: 'string' },
  'admin-key': { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export interface Parsed extends Picked {
  values: Readonly<Record<string, unknown>>;
}

/** Finds the action of a command, and refuses by name what the action would not use. */
export function parse(command: Command, args: readonly string[]): Parsed {
  try {
    const known = Object.assign({}, ...command.actions.map(({ options }) => options)) as ParseArgsOptionsConfig;
    const { values, positionals } = read(args, { ...GENERAL, ...known });
    const picked = command.pick(positionals);
    refuseUnused(picked, values);
    return { ...picked, values };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\n\n${usageOf(command)}`);
  }
}

function read(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option. The rest is about words that begin with a hyphen.
    throw new UsageError((error as Error).message.replace(/\. To specify a positional[^]*$/, '.'));
  }
}

function refuseUnused({ action, words, called }: Picked, values: Record<string, unknown>): void {
  const taken = optionsOf(action);
  const given = Object.keys(values);
  const unused = given.find((option) => !taken.includes(option));
  if (unused !== undefined) throw new UsageError(`${called} does not take --${unused}.`);
  for (const [one, other] of action.excludes ?? []) {
    if (given.includes(one) && given.includes(other)) {
      throw new UsageError(`${called} takes --${one} or --${other}, not both.`);
    }
  }
  const surplus = words[action.words?.length ?? Infinity];
  if (surplus !== undefined) throw new UsageError(`${called} does not take the word "${surplus}".`);
}

/** Returns the names of the options that an action takes. */
function optionsOf({ options = {}, isLocal, adminKey }: Action): string[] {
  return [...Object.keys(options), 'json', ...(isLocal ? [] : ['url']), ...(adminKey ? ['admin-key'] : [])];
}
