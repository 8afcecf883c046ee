import { z } from 'zod';
import { StartError } from '../../kernel/start-error.js';
import type { SlipwayConfig } from './plugin.js';

const aFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function');
const aSchema = z.custom<z.ZodType>(
  (value) => value !== null && typeof value === 'object' && '_zod' in value,
  'must be a schema of zod',
);

const pluginRules = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must have small letters, digits and hyphens'),
  slipway: z.string().min(1),
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
  settings: z.record(z.string(), aSchema).optional(),
  migrations: z.array(aFunction).optional(),
  modules: aFunction,
});

const configRules = z.strictObject({ plugins: z.array(z.unknown()) });

/** Returns the configuration if it is one. Its plugins are checked when they are installed. */
export function checkedConfig(config: unknown): SlipwayConfig {
  const result = configRules.safeParse(config);
  if (!result.success)
    throw new StartError(`The configuration of the plugins needs a change: ${firstFault(result.error)}`);
  return config as SlipwayConfig;
}

/** Refuses plugins that lack a member or have an unknown one. */
export function checkMembers(plugins: readonly unknown[]): void {
  for (const [at, plugin] of plugins.entries()) {
    const result = pluginRules.safeParse(plugin);
    if (result.success) continue;
    const { name } = (plugin ?? {}) as { name?: unknown };
    const which = typeof name === 'string' ? `plugin ${name}` : `plugin at position ${at + 1}`;
    throw new StartError(`The ${which} needs a change: ${firstFault(result.error)}`);
  }
}

function firstFault({ issues: [issue] }: z.ZodError): string {
  const path = issue!.path.join('.');
  return path ? `${path}: ${issue!.message}` : issue!.message;
}
