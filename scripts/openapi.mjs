import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inProject } from './project.mjs';

// The OpenAPI document is committed in pieces, so that a change of one module changes one file. A piece is the part of the
// document that one module alone has, and `index.json` is what remains. Merged, the pieces are the document.

/** @typedef {Record<string, unknown>} Part */
/** @typedef {{ paths: Record<string, Part>, components?: Record<string, Part> }} Document */

export const FOLDER = join('docs', 'openapi');
const INDEX = 'index';

/**
 * @param {object} openApi
 * @param {(verb: string, path: string) => string} moduleOf the file of an operation
 * @returns {Record<string, Part>} pieces by the names of their files
 */
export function piecesOf(openApi, moduleOf) {
  const document = /** @type {Document} */ (openApi);
  const { paths, components = {}, ...rest } = document;
  /** @type {Record<string, Part>} */
  const pieces = { [INDEX]: rest };
  const users = usersOf(document, moduleOf);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(operations)) {
      put(pieces, [moduleOf(verb, path), 'paths', path, verb], operation);
    }
  }
  for (const [kind, named] of Object.entries(components)) {
    for (const [name, component] of Object.entries(named)) {
      const [only = INDEX, ...others] = users.get(referenceTo(kind, name)) ?? [];
      put(pieces, [others.length > 0 ? INDEX : only, 'components', kind, name], component);
    }
  }
  return pieces;
}

/** Returns the committed document. */
export function committedOpenApi() {
  const names = readdirSync(inProject(FOLDER)).filter((name) => name.endsWith('.json'));
  const inOrder = names.sort((a, b) => Number(b === `${INDEX}.json`) - Number(a === `${INDEX}.json`));
  /** @type {Part} */
  const document = {};
  for (const name of inOrder) merge(document, parsed(readFileSync(inProject(FOLDER, name), 'utf8')));
  return document;
}

/**
 * Returns the modules that use each component, directly or through other components.
 * @param {Document} document @param {(verb: string, path: string) => string} moduleOf
 */
function usersOf({ paths, components = {} }, moduleOf) {
  /** @type {Map<string, Set<string>>} */
  const users = new Map();
  /** @param {unknown} part @param {string} module */
  const visit = (part, module) => {
    for (const reference of referencesIn(part)) {
      const known = users.get(reference) ?? new Set();
      if (known.has(module)) continue;
      users.set(reference, known.add(module));
      const [kind = '', name = ''] = reference.split('/').slice(-2);
      visit(components[kind]?.[name], module);
    }
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(operations)) visit(operation, moduleOf(verb, path));
  }
  return users;
}

/** @param {unknown} part @returns {string[]} */
function referencesIn(part) {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
}

/** @param {string} kind @param {string} name */
function referenceTo(kind, name) {
  return `#/components/${kind}/${name}`;
}

/** @param {Part} into @param {string[]} way @param {unknown} value */
function put(into, [first = '', ...rest], value) {
  if (rest.length === 0) into[first] = value;
  else put(/** @type {Part} */ (into[first] ??= {}), rest, value);
}

/** @param {Part} into @param {Part} piece */
function merge(into, piece) {
  for (const [key, value] of Object.entries(piece)) {
    const present = into[key];
    if (isPart(present) && isPart(value)) merge(present, value);
    else into[key] = value;
  }
}

/** @param {unknown} value @returns {value is Part} */
function isPart(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {string} text @returns {Part} */
function parsed(text) {
  /** @type {unknown} */
  const part = JSON.parse(text);
  return /** @type {Part} */ (part);
}

// As a command, it writes the document into a file for programs that read one file.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(process.argv[2] ?? '/dev/stdout', `${JSON.stringify(committedOpenApi(), null, 2)}\n`);
}
