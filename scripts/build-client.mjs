import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { runQuietly } from './command.mjs';
import { committedOpenApi } from './openapi.mjs';
import { inProject, root } from './project.mjs';
import { explain } from './start-error.mjs';

// Writes the types of the API for the TypeScript client and the console, and compiles the client into
// clients/typescript/dist.

const SCHEMA = inProject('clients', 'typescript', 'src', 'schema.d.ts');
/** The console is compiled only to check its types. */
const SCHEMA_OF_CONSOLE = inProject('console', 'schema.d.ts');
const BUILT = inProject('clients', 'typescript', 'dist');

/** @typedef {{ components: { responses: Record<string, { content?: Record<string, { examples?: object }> }> } }} Document */

try {
  await writeTypes();
  await compile();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/** The types are written again only for another document, because that takes seconds. */
async function writeTypes() {
  const document = JSON.stringify(committedOpenApi());
  const self = readFileSync(new URL(import.meta.url), 'utf8');
  const stamp = `// Made of ${createHash('sha256').update(document).update(self).digest('hex')}\n`;
  const schemas = [SCHEMA, SCHEMA_OF_CONSOLE];
  if (schemas.every((file) => existsSync(file) && readFileSync(file, 'utf8').startsWith(stamp))) return;
  const types = astToString(await openapiTypescript(document));
  /** @type {unknown} */
  const parsed = JSON.parse(document);
  const text = `${stamp}${types}\n${errorCodes(/** @type {Document} */ (parsed))}`;
  for (const file of schemas) writeFileSync(file, text);
}

/**
 * The document names the codes of errors only as the names of examples.
 * @param {Document} document
 */
function errorCodes({ components }) {
  const contents = Object.values(components.responses).flatMap(({ content = {} }) => Object.values(content));
  const codes = new Set(contents.flatMap(({ examples = {} }) => Object.keys(examples)));
  const lines = [...codes].sort().map((code) => `  | '${code}'`);
  return `export type ErrorCode =\n${lines.join('\n')};\n`;
}

async function compile() {
  rmSync(BUILT, { recursive: true, force: true });
  const compiler = inProject('node_modules', 'typescript-7', 'bin', 'tsc');
  const project = inProject('clients', 'typescript');
  await runQuietly(process.execPath, [compiler, '-p', project], { cwd: root, failure: 'The client does not compile' });
  copyFileSync(SCHEMA, inProject('clients', 'typescript', 'dist', 'schema.d.ts'));
}
