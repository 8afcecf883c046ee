import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

let ofWorker: Promise<Browser> | undefined;

/** Returns the browser that the test files of a worker share. Each opens a context of its own, and closes only that. */
export function chromiumOfWorker(): Promise<Browser> {
  return (ofWorker ??= startChromium());
}

/**
 * Starts a headless Chromium: the one that `CHROMIUM` names, the packaged one on Linux with an x64 processor, or else
 * the Chrome of the machine.
 */
export async function startChromium(): Promise<Browser> {
  if (process.env.CHROMIUM) return chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  if (process.platform !== 'linux' || process.arch !== 'x64') return chromium.launch({ channel: 'chrome' });
  return chromium.launch({ executablePath: await unpacked(), args: FLAGS });
}

/**
 * Unpacks the packaged browser once per machine. Several test files may do so at the same moment, so each unpacks into a
 * folder of its own, which one of them then gives its final name.
 */
async function unpacked(): Promise<string> {
  const { default: packaged } = await import('@sparticuz/chromium');
  const folder = join(tmpdir(), `slipway-chromium-${process.getuid?.() ?? 0}`);
  const executable = join(folder, 'chromium');
  if (existsSync(executable)) return executable;
  const own = mkdtempSync(join(tmpdir(), 'slipway-chromium-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  try {
    await packaged.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  try {
    renameSync(own, folder);
  } catch {
    // Another test file was faster.
    rmSync(own, { recursive: true, force: true });
  }
  return executable;
}
