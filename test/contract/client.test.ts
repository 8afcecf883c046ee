import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { startService } from '../support/service.js';

const run = promisify(execFile);
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const TSC = join(NODE_MODULES, 'typescript', 'bin', 'tsc');

const service = await startService();
afterAll(() => service.stop());

it('generates a client from the document that compiles, and that completes the journey', async () => {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'client-'));
  cpSync(fileURLToPath(new URL('client', import.meta.url)), folder, { recursive: true });
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const document = new URL('/openapi.json', service.url);
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTypescript(document)));

  // The compiler writes its errors to the standard output.
  const compiled = await run(process.execPath, [TSC, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');
  const env = { ...process.env, SLIPWAY_URL: service.url, SLIPWAY_ADMIN_KEY: service.adminKey };
  const { stdout } = await run(process.execPath, [join(folder, 'built', 'journey.js')], { env });
  expect(JSON.parse(stdout)).toEqual({
    me: 'journey',
    opened: 'order-4711',
    answered: ['completed', 1],
    message: 'accepted',
    sessions: true,
    ended: 'terminated',
    connection: 'ACTIVE',
    said: 'string',
    models: ['mock'],
    refused: 'CONNECTION_NOT_FOUND',
  });
});
