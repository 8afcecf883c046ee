import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { build } from 'rolldown';
import { inProject } from './project.mjs';

// Puts the compiled service into a few files in dist/bundle. Node resolves each import and reads each file by itself, so
// a thousand files took longer to load than everything else that a start does.

/** Everything by which the service is loaded is one bundle, so that each module exists once in a process. */
const ENTRIES = {
  main: 'src/main.js',
  slipway: 'src/slipway.js',
  plugin: 'src/plugin.js',
  testing: 'test/support/testing.js',
  documents: 'src/documents.js',
  migrate: 'src/migrate.js',
};
const output = inProject('dist', 'bundle');
// A container's image is built without the tests.
const entries = Object.entries(ENTRIES).filter(([, file]) => existsSync(inProject('dist', file)));

rmSync(output, { recursive: true, force: true });
const bundle = await build({
  input: Object.fromEntries(entries.map(([name, file]) => [name, inProject('dist', file)])),
  platform: 'node',
  // Plugins load packages such as Nest from the same folder, and must get the same classes.
  external: (id) => !id.startsWith('.') && !isAbsolute(id),
  treeshake: false,
  plugins: [{ name: 'own-place', transform: atItsOwnPlace }],
  output: {
    dir: output,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    keepNames: true,
    comments: false,
    // A chunk is run after the packages that it imports, and these modules have to be run before all of them.
    codeSplitting: {
      groups: ['required-node', 'no-pretenuring'].map((name) => ({ name, test: new RegExp(name) })),
    },
  },
});
for (const file of bundle.output) {
  if (file.type === 'chunk') writeFileSync(join(output, file.fileName), inAscii(file.code));
}
// The scripts that make the documents are checked with these types. The package names those of its doors itself.
writeFileSync(join(output, 'documents.d.ts'), `export * from '../${ENTRIES.documents}';\n`);

/**
 * Files beside a module, such as the programs of compute threads, are found from its place in dist.
 * @param {string} code
 * @param {string} id
 */
function atItsOwnPlace(code, id) {
  if (!code.includes('import.meta.url')) return undefined;
  const place = JSON.stringify(relative(output, id).replaceAll(sep, '/'));
  return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
}

/**
 * Escapes what is not ASCII. V8 keeps a source for as long as the process runs, and Node decodes a file with a single other
 * character so that each takes two bytes.
 * @param {string} code
 */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
