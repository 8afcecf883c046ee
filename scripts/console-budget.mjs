import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readJson } from './json-file.mjs';

/** The limit for the files that a browser loads before the first page can be used: 350 KB. */
const MAX_FIRST_BYTES = 350_000;
/** The page at the address of the console. The entry imports it when the router has chosen it. */
const FIRST_PAGE = 'src/pages/projects/projects.tsx';

/** @typedef {{ file: string, isEntry?: boolean, imports?: string[], css?: string[] }} Chunk */

/**
 * Lets the process fail if a browser loads more than the limit before it can use the first page.
 * @param {string} folder has the built console.
 */
export function keepBudget(folder, maxBytes = MAX_FIRST_BYTES) {
  const bytes = firstPageBytes(folder);
  if (bytes <= maxBytes) return;
  console.error(
    `The first page of the console loads ${kilobytes(bytes)} compressed; the limit is ${kilobytes(maxBytes)}.`,
  );
  console.error('Import what only some pages need with `lazyRouteComponent`.');
  process.exitCode = 1;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1_000).toFixed(1)} KB`;
}

/**
 * Returns the compressed size of the entry, of the first page, and of everything that both import at once.
 * @param {string} folder
 */
function firstPageBytes(folder) {
  const manifest = /** @type {Record<string, Chunk>} */ (readJson(join(folder, '.vite', 'manifest.json')));
  const files = new Set(['index.html']);
  /** @param {Chunk} chunk */
  const add = ({ file, imports = [], css = [] }) => {
    if (files.has(file)) return;
    for (const each of [file, ...css]) files.add(each);
    for (const name of imports) add(/** @type {Chunk} */ (manifest[name]));
  };
  for (const chunk of Object.values(manifest)) if (chunk.isEntry) add(chunk);
  add(/** @type {Chunk} */ (manifest[FIRST_PAGE]));
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
}
