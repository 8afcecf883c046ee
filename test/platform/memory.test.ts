import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inProject } from '../../scripts/project.mjs';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const MEBIBYTE = 1024 * 1024;

function residentBytesOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

it('gives memory back when it has become idle', async () => {
  const service = await startProcess(settingsFor(await createDatabase()));
  const { key, projectId } = await makeTenant(service);
  const ledger = `/api/public/analytics/projects/${projectId}/llm-ledger`;
  // Each row is refused, after the process has made a million values of them.
  const generations = Array.from({ length: 5_000 }, (_, at) => ({
    at,
    tags: Array.from({ length: 40 }, () => `${at}`),
  }));
  const client = Client.withKey(service, key);
  for (let time = 0; time < 5; time += 1) {
    expect((await client.post(ledger, { generations })).outcome).toBe('400 VALIDATION_ERROR');
  }
  const afterWork = residentBytesOf(service.pid);
  await eventually(
    () => residentBytesOf(service.pid),
    (bytes) => bytes < afterWork - 48 * MEBIBYTE,
    60_000,
  );
  await service.stop();
}, 90_000);

it('sets an option that the engine knows, before anything else is loaded', () => {
  const flag = /setFlagsFromString\('--no-(.+)'\)/.exec(
    readFileSync(inProject('src', 'platform', 'memory', 'no-pretenuring.ts'), 'utf8'),
  )?.[1];
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`--${flag} (`);
  expect(readFileSync(inProject('src', 'main.ts'), 'utf8')).toMatch(
    /^import '.\/platform\/config\/required-node.js';\nimport '.\/platform\/memory\/no-pretenuring.js';/,
  );
});
