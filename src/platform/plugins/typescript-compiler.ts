import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { StartError } from '../../kernel/start-error.js';

/** The first is a name of the faster compiler, beside the one that editors use. */
const COMPILERS = ['typescript-7', 'typescript'];
const FAULTS_SHOWN = 3;

/**
 * Compiles a file and all that it imports with the compiler of its repository. Returns the code of each file by the
 * file's address. Types are not checked, because a start is no test.
 */
export async function compileTypescript(file: string): Promise<Map<string, string>> {
  const compiler = compilerFor(file);
  const folder = await mkdtemp(join(tmpdir(), 'slipway-config-'));
  try {
    const output = join(folder, 'output');
    await mkdir(output);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(projectOf(file, output)));
    const args = [compiler, '--project', folder, '--pretty', 'false'];
    const options = { cwd: dirname(file) };
    await promisify(execFile)(process.execPath, args, options).catch(({ stdout, message }: ExecFileException) => {
      const faults = stdout?.trim().split('\n', FAULTS_SHOWN).join('\n');
      throw new StartError(`The configuration ${file} cannot be compiled: ${faults || message}`);
    });
    return await codeIn(output, parse(file).root);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function compilerFor(file: string): string {
  const require = createRequire(file);
  for (const name of COMPILERS) {
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'tsc');
    } catch {
      // The next name is tried.
    }
  }
  throw new StartError(
    `The configuration ${file} is TypeScript, and no compiler is installed beside it. Run \`npm install --save-dev typescript\`, or compile the file and name the compiled one.`,
  );
}

/** The options of the repository hold, except for those that say what is made, where, and from which files. */
function projectOf(file: string, output: string): object {
  const options = nearest('tsconfig.json', dirname(file));
  return {
    ...(options && { extends: options }),
    files: [file],
    include: [],
    references: [],
    compilerOptions: {
      ...(!options && { target: 'es2024' }),
      rootDir: parse(file).root,
      outDir: output,
      module: 'esnext',
      moduleResolution: 'bundler',
      rewriteRelativeImportExtensions: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      inlineSourceMap: true,
      sourceRoot: pathToFileURL(parse(file).root).href,
      noCheck: true,
      types: [],
      allowJs: false,
      checkJs: false,
      noEmit: false,
      noEmitOnError: false,
      emitDeclarationOnly: false,
      declaration: false,
      declarationMap: false,
      declarationDir: null,
      isolatedDeclarations: false,
      sourceMap: false,
      mapRoot: null,
      composite: false,
      incremental: false,
      tsBuildInfoFile: null,
      customConditions: null,
    },
  };
}

function nearest(name: string, folder: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(name, dirname(folder));
}

/** The folders of the output are those of the sources, from the root on. Node loads JSON from its own place. */
async function codeIn(output: string, root: string): Promise<Map<string, string>> {
  const entries = await readdir(output, { recursive: true, withFileTypes: true });
  const files = entries
    .filter(({ name }) => /\.m?js$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const codes = files.map(async (path) => {
    const source = join(root, relative(output, path)).replace(/js$/, 'ts');
    return [pathToFileURL(source).href, await readFile(path, 'utf8')] as const;
  });
  return new Map(await Promise.all(codes));
}
