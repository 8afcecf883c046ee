import { parseArgs } from 'node:util';
import { Refusal, SlipwayError } from '../errors.js';
import { Access } from './access.js';
import { UsageError, type Command, type Environment, type Invocation } from './command.js';
import { chat } from './commands/chat.js';
import { jobs } from './commands/jobs.js';
import { keys } from './commands/keys.js';
import { ledger } from './commands/ledger.js';
import { login, logout } from './commands/login.js';
import { models } from './commands/models.js';
import { tools } from './commands/tools.js';
import { webhooks } from './commands/webhooks.js';
import { shown } from './table.js';
import { Interrupted, type Terminal } from './terminal.js';

const COMMANDS: Record<string, Command> = { login, logout, keys, chat, ledger, tools, models, webhooks, jobs };

const GENERAL = {
  url: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
/** The code of a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Runs one command, and returns the code with which the process ends. */
export async function runCommandLine(args: string[], env: Environment, terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const isJson = args.includes('--json');
  try {
    if (name === undefined || name === 'help' || name.startsWith('-')) {
      terminal.say(overview());
      return name === undefined ? MISUSED : DONE;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
    if (!command) throw new UsageError(`There is no command ${shown(name)}. slipway help lists the commands.`);
    if (rest.includes('--help') || rest.includes('-h')) {
      terminal.say(usageOf(command));
      return DONE;
    }
    await command.run(invocationOf(command, rest, env, terminal));
    return DONE;
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    report(error, isJson, terminal);
    return isMisuse(error) ? MISUSED : FAILED;
  }
}

function invocationOf(command: Command, args: string[], env: Environment, terminal: Terminal): Invocation {
  const { values, positionals } = parsed(command, args);
  const given: Record<string, unknown> = values;
  const access = new Access(env);
  const text = (option: string) => given[option] as string | undefined;
  return {
    words: positionals,
    text,
    isSet: (option) => given[option] === true,
    isJson: values.json === true,
    env,
    terminal,
    access,
    slipway: () => access.slipway(text('url')),
  };
}

function parsed(command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: { ...GENERAL, ...command.options }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usageOf(command)}`);
  }
}

function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof SlipwayError && error.is('ADDRESS_MALFORMED', 'KEY_MALFORMED');
}

function report(error: unknown, isJson: boolean, terminal: Terminal): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof SlipwayError ? error.code : undefined;
  const { requestId, details } = error instanceof Refusal ? error : {};
  if (isJson) return terminal.note(JSON.stringify({ error: { code, message, requestId, details } }));
  terminal.note(message);
  for (const { path, message: fault } of issuesIn(details)) terminal.note(shown(`  ${path || 'body'}: ${fault}`));
  const facts = [code, requestId && `request ${requestId}`].filter(Boolean);
  if (facts.length > 0) terminal.note(`(${facts.join(', ')})`);
}

interface Issue {
  path: string;
  message: string;
}

/** Returns the faults of a request that the service has listed. */
function issuesIn({ issues }: Record<string, unknown> = {}): Issue[] {
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}

function usageOf({ summary, usage }: Command): string {
  return `${summary}\n\n${usage.replaceAll(/^/gm, '  ')}\n\nAll commands take --json and --url.`;
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return [
    'Usage: slipway COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'slipway COMMAND --help shows the options of a command. All commands take --json and --url.',
    'SLIPWAY_URL and SLIPWAY_API_KEY work instead of a login. SLIPWAY_ADMIN_KEY is for lists of keys and jobs.',
  ].join('\n');
}
