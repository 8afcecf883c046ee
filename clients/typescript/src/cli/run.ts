import { SlipwayError } from '../errors.js';
import { VERSION } from '../version.js';
import { Access } from './access.js';
import { UsageError, type Command, type Environment, type Facts, type Invocation } from './command.js';
import { chat } from './commands/chat.js';
import { jobs } from './commands/jobs.js';
import { keys } from './commands/keys.js';
import { ledger } from './commands/ledger.js';
import { login, logout } from './commands/login.js';
import { models } from './commands/models.js';
import { tools } from './commands/tools.js';
import { webhooks } from './commands/webhooks.js';
import { described, overview, usageOf, type Commands } from './help.js';
import { parse, type Parsed } from './parse.js';
import { report } from './report.js';
import { shown } from './table.js';
import { Interrupted, type Terminal } from './terminal.js';

const COMMANDS: Commands = { login, logout, keys, chat, ledger, tools, models, webhooks, jobs };

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
/** The code of a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Runs one command, and returns the code with which the process ends. */
export async function runCommandLine(args: string[], env: Environment, terminal: Terminal): Promise<number> {
  const isJson = args.includes('--json');
  const facts: Facts = {};
  try {
    return await runNamed(args, { env, terminal, facts });
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    report(error, facts, isJson, terminal);
    return isMisuse(error) ? MISUSED : FAILED;
  }
}

type Surroundings = Pick<Invocation, 'env' | 'terminal' | 'facts'>;

async function runNamed(args: readonly string[], around: Surroundings): Promise<number> {
  // This option may stand in front of the command, as in `slipway --json keys`.
  const [name, ...rest] = args[0] === '--json' ? [...args.slice(1), '--json'] : args;
  if (name === '--version' || name === '-v') return showVersion(rest, around);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    help(rest, around);
    return name === undefined ? MISUSED : DONE;
  }
  if (name.startsWith('-')) throw new UsageError(`Options follow the command: slipway COMMAND ${shown(name)}.`);
  const command = commandOf(name);
  if (rest.includes('--help') || rest.includes('-h')) {
    help([name, ...rest.filter((word) => word === '--json')], around);
    return DONE;
  }
  const parsed = parse(command, rest);
  await parsed.action.run(invocationOf(parsed, around));
  return DONE;
}

function commandOf(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command;
  throw new UsageError(`There is no command ${shown(name)}. slipway help lists the commands.`);
}

function help(words: readonly string[], { terminal }: Surroundings): void {
  const isJson = words.includes('--json');
  const [name, surplus] = words.filter((word) => word !== '--json');
  if (name?.startsWith('-')) throw new UsageError(`slipway help does not take ${shown(name)}.`);
  if (surplus !== undefined) throw new UsageError(`slipway help does not take the word "${shown(surplus)}".`);
  if (name === undefined) {
    if (isJson) terminal.json({ commands: described(COMMANDS) });
    else terminal.say(overview(COMMANDS));
  } else if (isJson) terminal.json(described({ [name]: commandOf(name) })[0]);
  else terminal.say(usageOf(commandOf(name)));
}

function showVersion(words: readonly string[], { terminal }: Surroundings): number {
  if (words.includes('--json')) terminal.json({ version: VERSION });
  else terminal.say(VERSION);
  return DONE;
}

function invocationOf({ action, words, values }: Parsed, around: Surroundings): Invocation {
  const access = new Access(around.env);
  const text = (option: string) => values[option] as string | undefined;
  return {
    ...around,
    words,
    text,
    texts: (option) => (values[option] as string[] | undefined) ?? [],
    isSet: (option) => values[option] === true,
    isJson: values.json === true,
    access,
    slipway: () =>
      access.slipway({ url: text('url'), adminKey: text('admin-key'), isAdminNeeded: action.adminKey === 'needed' }),
  };
}

function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof SlipwayError && error.is('ADDRESS_MALFORMED', 'KEY_MALFORMED');
}
