import { Script } from 'node:vm';
import { StartError } from '../start-error.mjs';

/**
 * The names of a module. The template's module is called `field-notes`, and each of its spellings is replaced by that
 * of the new module. It has two words so that no two spellings are equal.
 * @typedef {object} ModuleNames
 * @property {string} folder `field-notes`
 * @property {string} kind `fieldNote`, the kind of the entity's ids
 * @property {string} prefix `fieldnote-`, the beginning of the ids
 * @property {string} table `field_note`
 * @property {string} entity `FieldNote`
 * @property {string} module `FieldNotesModule`
 * @property {(text: string) => string} rename replaces the template's names in a text
 */

/**
 * @param {string | undefined} folder
 * @returns {ModuleNames}
 */
export function namesOf(folder) {
  if (!folder || !/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(folder)) {
    throw new StartError(
      'Say what the module is about: npm run new:module -- reading-lists (small letters, words joined by -, plural).',
    );
  }
  const singular = singularOf(folder);
  const entity = pascal(singular);
  if (entity in globalThis || !isVariable(camel(singular))) {
    throw new StartError(
      `"${singular}" means something in JavaScript. Choose a name of two words, such as my-${folder}.`,
    );
  }
  return {
    folder,
    kind: camel(singular),
    prefix: `${singular.replaceAll('-', '')}-`,
    table: snake(singular),
    entity,
    module: `${pascal(folder)}Module`,
    rename: renaming(singular, folder),
  };
}

/** @param {string} plural */
function singularOf(plural) {
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(ss|x|z|ch|sh)es$/.test(plural)) return plural.replace(/es$/, '');
  if (/[^s]s$/.test(plural)) return plural.replace(/s$/, '');
  throw new StartError(`"${plural}" does not look like a plural. Modules are named for many: reading-lists.`);
}

/**
 * @param {string} singular
 * @param {string} plural
 */
function renaming(singular, plural) {
  const spellings = [kebab, camel, pascal, snake, upper, words, sentence];
  const said = new Map(
    spellings.flatMap((spell) => [
      [spell('field-notes'), spell(plural)],
      [spell('field-note'), spell(singular)],
    ]),
  );
  // All names are replaced in one pass, longer ones first, so that an inserted name is not replaced again.
  const any = new RegExp([...said.keys()].join('|'), 'g');
  return (/** @type {string} */ text) => text.replace(any, (found) => said.get(found) ?? found);
}

/** @param {string} name */
function isVariable(name) {
  try {
    new Script(`"use strict"; let ${name};`);
    return true;
  } catch {
    return false;
  }
}

const kebab = (/** @type {string} */ name) => name;
const camel = (/** @type {string} */ name) => name.replace(/-(.)/g, (_, letter) => String(letter).toUpperCase());
const pascal = (/** @type {string} */ name) => capital(camel(name));
const snake = (/** @type {string} */ name) => name.replaceAll('-', '_');
const upper = (/** @type {string} */ name) => snake(name).toUpperCase();
const words = (/** @type {string} */ name) => name.replaceAll('-', ' ');
const sentence = (/** @type {string} */ name) => capital(words(name));

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
