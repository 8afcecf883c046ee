import type { Command } from './command.js';

export type Commands = Readonly<Record<string, Command>>;

const GENERAL = [
  'All commands take --json, and those that reach a service take --url.',
  'SLIPWAY_URL and SLIPWAY_API_KEY work instead of a login, and SLIPWAY_ADMIN_KEY instead of --admin-key.',
];

export function usageOf({ summary, notes, actions }: Command): string {
  const forms = [...actions.map(({ usage }) => usage), ...(notes === undefined ? [] : [notes])].join('\n');
  return `${summary}\n\n${forms.replaceAll(/^/gm, '  ')}\n\n${GENERAL[0]}`;
}

export function overview(commands: Commands): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return [
    'Usage: slipway COMMAND [OPTIONS]',
    '',
    ...lines,
    '',
    'slipway COMMAND --help shows the options of a command. slipway --version shows the version.',
    ...GENERAL,
  ].join('\n');
}

/** The help of commands as a value. */
export function described(commands: Commands) {
  return Object.entries(commands).map(([name, { summary, notes, actions }]) => ({
    name,
    summary,
    usage: actions.flatMap(({ usage }) => usage.split('\n').map((line) => line.trim())),
    ...(notes !== undefined && { notes }),
  }));
}
