import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { readJson } from './json-file.mjs';
import { inProject } from './project.mjs';

// Bundles the console into dist/console. Its types are checked by `npm run lint`, for which build-client.mjs writes those
// of the API.

/** The limit for the files that a browser loads before the first page can be used. */
const MAX_FIRST_KIB = 350;
/** The page at the address of the console. The entry imports it when the router has chosen it. */
const FIRST_PAGE = 'src/pages/projects/projects.tsx';
const output = inProject('dist', 'console');

/** @typedef {{ file: string, isEntry?: boolean, imports?: string[], css?: string[] }} Chunk */

// Jest names another one, with which Vite would build for development.
process.env.NODE_ENV = 'production';
await bundle();
const kib = firstPageKib();
if (kib > MAX_FIRST_KIB) {
  console.error(`The first page of the console loads ${kib} KiB compressed; the limit is ${MAX_FIRST_KIB} KiB.`);
  console.error('Import what only some pages need with `lazyRouteComponent`.');
  process.exitCode = 1;
}

async function bundle() {
  await build({
    root: inProject('console'),
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    // The service replaces this by another text in each answer.
    html: { cspNonce: '{nonce}' },
    build: {
      outDir: output,
      emptyOutDir: true,
      manifest: true,
      // The content security policy allows no `data:` addresses.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_000,
      // The directive is for servers that render React, which this application does not have.
      rolldownOptions: { checks: { moduleLevelDirective: false } },
    },
  });
}

/** Returns the compressed size of the entry, of the first page, and of everything that both import at once. */
function firstPageKib() {
  const manifest = /** @type {Record<string, Chunk>} */ (readJson(join(output, '.vite', 'manifest.json')));
  const files = new Set(['index.html']);
  /** @param {Chunk} chunk */
  const add = ({ file, imports = [], css = [] }) => {
    if (files.has(file)) return;
    for (const each of [file, ...css]) files.add(each);
    for (const name of imports) add(/** @type {Chunk} */ (manifest[name]));
  };
  for (const chunk of Object.values(manifest)) if (chunk.isEntry) add(chunk);
  add(/** @type {Chunk} */ (manifest[FIRST_PAGE]));
  const bytes = [...files].map((file) => gzipSync(readFileSync(join(output, file))).length);
  return Math.round(bytes.reduce((sum, each) => sum + each, 0) / 1024);
}
