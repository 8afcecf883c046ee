import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import type { Target } from '../support/service.js';

const run = promisify(execFile);

/** Runs a command that the console shows, in the shell of a user who has the keys. Returns the answer. */
export async function runShown({ adminKey }: Target, key: string, command: string): Promise<string> {
  const env = { ...process.env, SLIPWAY_API_KEY: key, SLIPWAY_HOOK_TOKEN: key, SLIPWAY_ADMIN_KEY: adminKey };
  return (await run('sh', ['-c', command], { env })).stdout;
}

/** Presses a button that copies, and returns what it has copied. The browser copies a moment after the press. */
export async function copiedBy(button: Locator): Promise<string> {
  const page = button.page();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate("navigator.clipboard.writeText('')");
  await button.click();
  return eventually(() => page.evaluate<string>('navigator.clipboard.readText()'));
}
