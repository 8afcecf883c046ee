import type { Migration } from '@mikro-orm/migrations';
import type { Type } from '@nestjs/common';
import { satisfies, validRange } from 'semver';
import { z } from 'zod';
import { StartError } from '../../kernel/start-error.js';
import { packageVersion } from '../config/project-file.js';
import type { SlipwayConfig, SlipwayPlugin } from './plugin.js';

/** Variables of the environment that begin with these belong to others. A plugin would refuse them as misspelt. */
const NAMES_OF_OTHERS = ['aws', 'kubernetes', 'node', 'npm', 'otel', 'test'];

const aFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function');
const aSetting = z
  .custom<z.ZodType>((value) => value instanceof Object && '_zod' in value, 'must be a schema of zod')
  .refine(({ description }) => description, 'must say what it is for, with `.describe()` at the end');
const aMigration = z.custom<Type<Migration>>(isMigration, 'must be a class with a name that extends Migration');

const versionRules = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must have small letters, digits and hyphens')
    .refine(
      (name) => !NAMES_OF_OTHERS.includes(name),
      'must be another one, because variables of the environment that begin with it belong to others',
    ),
  slipway: z.string().refine((range) => validRange(range) !== null, 'must be a range of versions such as ^1.2.0'),
});

const pluginRules = z.strictObject({
  ...versionRules.shape,
  ids: z
    .record(
      z.string().regex(/^[a-z][A-Za-z0-9]*$/, 'must be in camelCase'),
      z.string().regex(/^[a-z]+(-[a-z]+)*-$/, 'must have small letters and end with a hyphen'),
    )
    .optional(),
  permissions: z
    .record(
      z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'must be in capital letters'),
      z.strictObject({
        allows: z.string().regex(/^[A-Z].*\.$/, 'must be a sentence'),
        implies: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  settings: z.record(z.string(), aSetting, 'must be a plain object with a schema for each name').optional(),
  migrations: z.array(aMigration).optional(),
  modules: aFunction,
});

const configRules = z.strictObject({ plugins: z.array(z.unknown()) });

/** Returns the configuration if it is one. Its plugins are checked when they are installed. */
export function checkedConfig(config: unknown): SlipwayConfig {
  checkBy(configRules, config, 'configuration of the plugins');
  return config as SlipwayConfig;
}

/** Refuses plugins for other versions of Slipway, and then those that lack a member or have an unknown one. */
export function checkMembers(plugins: readonly unknown[]): asserts plugins is readonly SlipwayPlugin[] {
  // A plugin for a newer Slipway may have members that are not known here.
  for (const [at, plugin] of plugins.entries()) checkVersion(checkBy(versionRules, plugin, placeOf(plugin, at)));
  for (const [at, plugin] of plugins.entries()) checkBy(pluginRules, plugin, placeOf(plugin, at));
}

function checkVersion({ name, slipway }: z.infer<typeof versionRules>): void {
  const version = packageVersion();
  if (satisfies(version, slipway)) return;
  throw new StartError(
    `The plugin ${name} works with Slipway ${slipway}, and this is ${version}. Install a release of the plugin for it.`,
  );
}

function checkBy<Value>(rules: z.ZodType<Value>, value: unknown, what: string): Value {
  const result = rules.safeParse(value, { error: inWords });
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const member = path.length > 0 ? `${path.join('.')} ` : 'it ';
  throw new StartError(`The ${what} needs a change: ${member}${message}.`);
}

function placeOf(plugin: unknown, at: number): string {
  const { name } = (plugin ?? {}) as { name?: unknown };
  return typeof name === 'string' ? `plugin ${name}` : `plugin at position ${at + 1}`;
}

/** Says what the rules do not say themselves. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return `has the unknown member ${issue.keys[0]}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  return issue.expected === 'record' ? 'must be a plain object' : `must be of the type ${issue.expected}`;
}

function isMigration(value: unknown): boolean {
  if (typeof value !== 'function' || value.name === '') return false;
  const { up, isTransactional } = (value.prototype ?? {}) as Partial<Migration>;
  return typeof up === 'function' && typeof isTransactional === 'function';
}
