import type { z } from 'zod';
import { settingsSchema } from './settings-schema.js';

const Shape = class {} as new () => Readonly<z.output<typeof settingsSchema>>;

/** The checked settings, frozen. They are injected by this class, and no other code reads the environment. */
export class Settings extends Shape {}

export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`These settings need a change:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = settingsSchema.safeParse(given);
  if (!result.success) throw new SettingsError(result.error.issues.map((issue) => faultLine(issue, given)));
  return Object.freeze(Object.assign(new Settings(), result.data));
}

function faultLine(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const name = String(issue.path[0]);
  return name in given
    ? `${name} ${issue.message}`
    : `${name} is missing: ${settingsSchema.shape[name as keyof typeof settingsSchema.shape].description}`;
}
