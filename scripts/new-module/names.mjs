import { Script } from 'node:vm';
import { StartError } from '../start-error.mjs';

/**
 * What a module's name is called in the template, by what it is called in the module: `field-notes` stands for it there
 * in all its spellings. Two words, so that no spelling is also another.
 * @typedef {object} ModuleNames
 * @property {string} folder `field-notes`
 * @property {string} kind `fieldNote`, the kind of its ids
 * @property {string} prefix `fieldnote-`, what its ids begin with
 * @property {string} table `field_note`
 * @property {string} entity `FieldNote`
 * @property {string} module `FieldNotesModule`
 * @property {(text: string) => string} rename says of the module what the text says of `field-notes`
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
  // In one go, longer ones first: what was put in is not looked at again.
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
