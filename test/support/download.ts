import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';

/** Presses what starts a download in the browser, and returns the name and the content of the file. */
export async function downloaded(page: Page, pressed: Locator): Promise<{ name: string; content: Buffer }> {
  const begins = page.waitForEvent('download');
  await pressed.click();
  const download = await begins;
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}
