import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inProject } from '../../scripts/project.mjs';

it('sets an option that the engine knows, before anything else is loaded', () => {
  const flag = /setFlagsFromString\('--no-(.+)'\)/.exec(
    readFileSync(inProject('src', 'platform', 'no-pretenuring.ts'), 'utf8'),
  )?.[1];
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`--${flag} (`);
  expect(readFileSync(inProject('src', 'main.ts'), 'utf8')).toMatch(/^import '.\/platform\/no-pretenuring.js';/);
});
