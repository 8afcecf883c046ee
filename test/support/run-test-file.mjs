import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EntitySchema, MetadataStorage } from '@mikro-orm/core';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import 'reflect-metadata';
import { currentGeneration, forgetDeclarations, prepareFor } from './typescript.mjs';

/**
 * @typedef {{ enterTestCode(): void, leaveTestCode(): void }} Runtime
 * @typedef {(globalConfig: unknown, config: unknown, environment: { global: object }, runtime: Runtime, testPath: string,
 *   sendMessage: unknown) => Promise<{ numFailingTests: number }>} TestRunner
 */

const require = createRequire(import.meta.url);
/** @type {(path: string) => unknown} */
const load = (path) => require(path);
const { default: runWithCircus } = /** @type {{ default: TestRunner }} */ (load('jest-circus/runner'));
let runs = 0;
let known = 0;

/**
 * Makes MikroORM forget the entities of modules that are loaded again. Their tables would seem to have two owners. Its
 * module forgets them by itself only if an application was stopped, and some test files start none.
 */
function forgetOldEntities() {
  if (known === currentGeneration()) return;
  known = currentGeneration();
  MetadataStorage.clear();
  EntitySchema.REGISTRY.clear();
  MikroOrmModule.clearStorage();
}

/**
 * Runs a test file with circus, as Jest itself does, but in the process and not in a sandbox for each file. The
 * service's libraries are then loaded once for each worker. Loading them for each file took longer than the tests of
 * most files.
 *
 * @type {TestRunner}
 */
export default async function runTestFile(globalConfig, config, _environment, runtime, testPath, sendMessage) {
  const formatOfJest = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const settings = { ...process.env };
  const here = { global: globalThis };
  const natively = {
    /** Circus keeps the tests of a file in its module, so each file gets its own module. @param {string} path */
    requireInternalModule(path) {
      delete require.cache[path];
      return load(path);
    },
    requireModule: load,
    /** Loads the file again if another test file has imported it. @param {string} path */
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?run=${runs++}`),
    unstable_shouldLoadAsEsm: () => true,
    setGlobalsForRuntime: () => undefined,
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
  };
  // Jest's own formatter reads only the source maps of files that Jest compiled.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  process.setSourceMapsEnabled(true);
  prepareFor(testPath);
  forgetOldEntities();
  try {
    const result = await runWithCircus(globalConfig, config, here, natively, testPath, sendMessage);
    forgetDeclarations({ always: result.numFailingTests > 0 });
    return result;
  } catch (error) {
    forgetDeclarations({ always: true });
    throw error;
  } finally {
    if (formatOfJest) Object.defineProperty(Error, 'prepareStackTrace', formatOfJest);
    for (const name of Object.keys(process.env)) if (!(name in settings)) delete process.env[name];
    Object.assign(process.env, settings);
  }
}
