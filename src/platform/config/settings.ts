import type { z } from 'zod';
import type { PluginSettings } from '../../kernel/plugin-types.js';
import { StartError } from '../../kernel/start-error.js';
import { settingsSchema } from './settings-schema.js';

const Shape = class {} as new () => Readonly<z.output<typeof settingsSchema> & PluginSettings>;

/** The settings of Slipway and of the plugins. */
let schema: z.ZodObject = settingsSchema;
/** The beginnings of the names of plugins' settings. Other variables of the environment do not concern Slipway. */
const prefixes: string[] = [];

/** Adds the settings of a plugin. They are checked before, and added before the environment is read. */
export function addSettings(prefix: string, settings: z.ZodRawShape): void {
  schema = schema.extend(settings);
  prefixes.push(prefix);
}

export function settingsWithPlugins(): z.ZodObject {
  return schema;
}

/** The checked settings, frozen. They are injected by this class, and no other code reads the environment. */
export class Settings extends Shape {}

export class SettingsError extends StartError {
  constructor(readonly faults: readonly string[]) {
    super(`These settings need a change:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const result = schema.safeParse(given);
  const faults = [
    ...(result.error?.issues.map((issue) => faultLine(issue, given)) ?? []),
    ...missingBeside(given),
    ...unknownIn(given),
  ];
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(Object.assign(new Settings(), result.data));
}

/** Names in the description of a setting the others that it needs, whatever its value is or with one value. */
interface Needing {
  needs?: readonly string[];
  needsByValue?: Readonly<Record<string, readonly string[]>>;
}

function missingBeside(given: Record<string, string>): string[] {
  const missing = (names: readonly string[], needing: string) =>
    names.filter((each) => !(each in given)).map((each) => `${each} is missing. ${needing} needs it.`);
  return Object.entries(given).flatMap(([name, value]) => {
    const meta = (schema.shape[name] as z.ZodType | undefined)?.meta();
    const { needs = [], needsByValue = {} } = (meta ?? {}) as Needing;
    return [...missing(needs, name), ...missing(needsByValue[value] ?? [], `${name}=${value}`)];
  });
}

/** A misspelt setting of a plugin would otherwise be ignored. */
function unknownIn(given: Record<string, unknown>): string[] {
  return Object.keys(given)
    .filter((name) => !(name in schema.shape) && prefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => `${name} is not a setting. Correct its name or remove it.`);
}

function faultLine(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const name = String(issue.path[0]);
  return name in given
    ? `${name} ${issue.message}`
    : `${name} is missing: ${(schema.shape[name] as z.ZodType).description}`;
}
