import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

/**
 * Modules that make declarations: jobs, also those of durable listeners, tables, entities, permissions, marked classes or
 * the plugins of a configuration. A declaration lasts as long as the process.
 */
const DECLARES = /^import \{.*\b(define[A-Z]|OnEvent\b|addPermissions\b|configOf\b)|\bforFeature\(|^@[A-Z]/m;

const TESTS = fileURLToPath(new URL('..', import.meta.url));

let generation = 0;
let isTainted = false;

/** Makes a test file that declares something load the project's modules of its own. @param {string} testPath */
export function prepareFor(testPath) {
  if (declares(testPath)) generation++;
}

/** @param {string} testPath */
export function declares(testPath) {
  return DECLARES.test(readFileSync(testPath, 'utf8'));
}

/** Makes the next test load the project's modules again if a test's module has added declarations to them. */
export function forgetDeclarations({ always = false } = {}) {
  if (isTainted || always) generation++;
  isTainted = false;
}

/** How often this process has loaded the project's modules again. */
export function currentGeneration() {
  return generation;
}

/** Loads TypeScript in this process: `./x.js` may be `./x.ts`, whose types and decorators are compiled away. */
registerHooks({
  resolve(specifier, context, next) {
    if (!/\.ts(\?|$)/.test(context.parentURL ?? '')) return next(specifier, context);
    const resolved = resolveSource(specifier, (path) => next(path, context));
    return resolved.url.endsWith('.ts') ? { ...resolved, url: `${resolved.url}?${generation}` } : resolved;
  },
  load(url, context, next) {
    if (!/\.ts(\?|$)/.test(url)) return next(url, context);
    const filename = fileURLToPath(url);
    const source = readFileSync(filename, 'utf8');
    if (filename.startsWith(TESTS) && DECLARES.test(source)) isTainted = true;
    return { format: 'module', source: compile(source, filename), shortCircuit: true };
  },
});

/**
 * @param {string} specifier
 * @param {(path: string) => import('node:module').ResolveFnOutput} resolve
 */
function resolveSource(specifier, resolve) {
  if (!/^\..*\.js$/.test(specifier)) return resolve(specifier);
  // Most files are TypeScript, and each attempt that fails takes time.
  try {
    return resolve(specifier.replace(/\.js$/, '.ts'));
  } catch {
    return resolve(specifier);
  }
}

/** @type {Map<string, string>} */
const compiled = new Map();

/**
 * @param {string} source
 * @param {string} filename
 */
function compile(source, filename) {
  let code = compiled.get(filename);
  if (code === undefined) {
    ({ code } = transformSync(source, {
      filename,
      sourceMaps: 'inline',
      jsc: {
        target: 'es2024',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
      module: { type: 'es6' },
    }));
    compiled.set(filename, code);
  }
  return code;
}
