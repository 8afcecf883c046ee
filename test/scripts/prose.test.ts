import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { BANNED_NAMES } from '../../scripts/prose/banned-names.mjs';
import { BANNED_WORDS } from '../../scripts/prose/banned-words.mjs';
import { inProject } from '../../scripts/project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'slipway-prose-'));
afterAll(() => rmSync(folder, { recursive: true }));

const words = (count: number) => `It has ${Array.from({ length: count - 2 }, () => 'words').join(' ')}.`;

const GOOD_DOCUMENT = `# Who reads titles

${words(35)} The next sentence is read on its own.

The worker claims the job, and \`nobody\` in a code span is code. See [the page](nobody.md).

| A table                                                                                                           |
| ----------------------------------------------------------------------------------------------------------------- |
| with \`anew\` and a very long cell |

\`\`\`sh
echo nobody tells the process anew
\`\`\`
`;

const GOOD_PROGRAM = `
/** Skips locked rows, because another worker reclaims them. */
const text = 'A string // And it is not a comment';
const pattern = /\\/\\/ Whoever/; // The pattern is no comment.
const both = \`/* A template with \${text} */\`;
/**
 * Claims the next job.
 * @param {string} lane the lane of the job
 */
`;

const GOOD_INTERFACE = `
export const Page = z.object({
  cursor: z.string().describe('The \`nobody\` of the previous page.').meta({ examples: ['Of a page'] }),
  limit: z.int().refine((limit) => limit > 0, 'must be positive; there is no limit of \`nobody\`'),
});
const rows = database.ask(sql\`select holder from lock where holder is not null\`);
export const errors = defineErrors({ gone: { code: 'Whose', message: 'There is no such page {name}. Send another.' } });
const route = { summary: 'Read ' + page, description: \`\${page} What is not there: \`, title: 'Which' };
`;

const REFUSED = [
  ['a banned word in a document', 'a.md', 'Good.\n\nThe worker reads it\nanew.\n', ':4 glossary: "anew"'],
  ['a banned word in a table', 'a.md', '| A |\n| - |\n| nobody |\n', ':3 glossary: "nobody"'],
  ['a banned word in a comment', 'a.ts', 'let a;\n/** Waits until\n * it hears. */\n', ':3 glossary: "hears"'],
  [
    'a banned word in the name of a test',
    'a.test.ts',
    "let a;\nit.each([1])('waits for nobody', a);\n",
    ':2 glossary: "nobody"',
  ],
  [
    'a banned word in a text for users',
    'a.schema.ts',
    "let a;\nz.string().describe('The key of ' +\n'whoever calls.');\n",
    ':2 glossary: "whoever"',
  ],
  ['a fragment in a description', 'a.ts', "z.int()\n.describe('Of the last page.');\n", ':2 glossary: A text'],
  ['a fragment in the summary of a route', 'a.ts', 'f({\nsummary: `Which key ${a}` });\n', ':2 glossary: A text'],
  ['a fragment in the help of a metric', 'a.ts', "f({ help: a ? 'Calls' : 'Those of it' });", ':1 glossary: A text'],
  [
    'a fragment in the message of an error',
    'a.errors.ts',
    "defineErrors({ gone: {\nmessage: 'Is gone. {name}' } });\n",
    ':2 glossary: A text',
  ],
  ['a fragment in a reason', 'a.reasons.ts', "defineReasons({ reasons: {\nGONE: 'Was deleted.' } });", ':2 glossary'],
  ['a fragment in a tag', 'tags.ts', "const TAGS = { Keys: 'What keys may do.' };", ':1 glossary: A text'],
  [
    'an idiom in a text that an imported function describes',
    'settings.ts',
    "import { most } from './types.js';\nmost(1, 'Requests, of no key');\n",
    ':2 glossary: "of no"',
  ],
  [
    'an idiom in the message of a validation',
    'a.schema.ts',
    "z.string()\n.refine(isName, 'belongs in no name');\n",
    ':2 glossary: "in no" is not plain English',
  ],
  ['an idiom in a member', 'a.ts', "const a = { time: 'It took longer than it may' };\n", ':1 glossary: "than it may"'],
  ['an idiom in a line of the log', 'a.ts', "let a;\nlog.warn({ a }, 'Redis is away');\n", ':2 glossary: "is away"'],
  [
    'an idiom on a page',
    'a.tsx',
    'let a;\nconst Page = () => <p>The key fits no scope.</p>;\n',
    ':2 glossary: "fits no"',
  ],
  ['an idiom in an error', 'a.ts', 'throw new Error(`The file ${a} is no archive`);\n', ':1 glossary: "is no"'],
  [
    'an idiom in a part of a text',
    'a.ts',
    "f(`The answer ${a ? ', which stands there twice' : ''}`);\n",
    ':1 glossary: "stands there"',
  ],
  [
    'a long sentence in an error',
    'a.ts',
    `defineErrors({ a: { message: '${words(36)}' } })`,
    ':1 glossary: A sentence',
  ],
  [
    'a long sentence over several lines',
    'a.md',
    `Good.\n${words(36).replaceAll(' ', '\n')}\n`,
    ':2 glossary: A sentence',
  ],
  ['a long sentence in a comment', 'a.mjs', `let a;\nlet b; // ${words(36)}\n`, ':2 glossary: A sentence'],
  ['a conjunction', 'a.ts', 'let a;\n\n// And that is so.\n', ':3 glossary: A sentence of a comment'],
  [
    'a conjunction in the middle',
    'a.ts',
    '// It waits.\n// But not for long.\n',
    ':2 glossary: A sentence of a comment',
  ],
  ['a relative pronoun', 'a.ts', '/**\n * Which it had before.\n */\n', ':2 glossary: A sentence of a comment'],
  ['a pronoun behind a template', 'a.ts', 'f(`${a}//`); // Whose it is.\n', ':1 glossary: A sentence of a comment'],
  ['a misspelled term', 'a.md', 'It speaks Json.\n', ':1 terminology: Incorrect term: “Json”'],
] as const;

const ACCEPTED = [
  ['a document', 'good.md', GOOD_DOCUMENT],
  ['a program', 'good.ts', GOOD_PROGRAM],
  ['texts for users', 'good.schema.ts', GOOD_INTERFACE],
] as const;

describe('The prose linter', () => {
  // A process that reads all files takes little longer than one that reads a single file.
  const refused = lint(REFUSED);
  const accepted = lint(ACCEPTED);

  it.each(REFUSED)('refuses %s, by name and line', (what, _name, _source, problem) => {
    const path = refused.paths[REFUSED.findIndex(([each]) => each === what)]!;
    expect(refused.linesOf(path)).toEqual([expect.stringContaining(path + problem)]);
  });

  it('fails if there is something to change, and says how much', () => {
    expect(refused.output).toContain(`Sentences to change: ${REFUSED.length}.`);
    expect(refused.status).toBe(1);
  });

  it.each(ACCEPTED)('accepts %s in plain English', (what) => {
    expect(accepted.linesOf(accepted.paths[ACCEPTED.findIndex(([each]) => each === what)]!)).toEqual([]);
  });

  it('passes if there is nothing to change, and says nothing', () => {
    expect(accepted).toMatchObject({ output: '', status: 0 });
  });

  it('has the words that the glossary replaces', () => {
    const table = readFileSync(inProject('docs', 'glossary.md'), 'utf8').split('## Words that are not used')[1] ?? '';
    const rows = Array.from(table.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm), ([, insteadOf, write]) => ({
      insteadOf,
      write,
    }));
    const listed = BANNED_WORDS.map(({ insteadOf, write }) => ({ insteadOf, write }));
    expect(rows.slice(1).filter(({ insteadOf }) => !insteadOf?.startsWith('--'))).toEqual(listed);
  });
});

describe('the linter of names', () => {
  const messagesOf = (source: string) =>
    new Linter().verify(source, { rules: { 'no-restricted-syntax': ['error', BANNED_NAMES] } }).map(({ line }) => line);

  it.each(['let holder;', 'let lockHolder;', 'f({ isTold: 1 });', 'class Nobody {}', 'told.at(0);'])(
    'refuses %s',
    (source) => {
      expect(messagesOf(source)).toEqual([1]);
    },
  );

  it.each(['let placeholder;', 'let stakeholders;', 'const owner = "holder";', 'f(toldest);'])(
    'accepts %s',
    (source) => {
      expect(messagesOf(source)).toEqual([]);
    },
  );
});

/** Writes each source to a folder of its own, because several have the same name, and lints all of them. */
function lint(sources: readonly (readonly [what: string, name: string, source: string, ...rest: string[]])[]) {
  const paths = sources.map(([, name, source]) => {
    const path = join(mkdtempSync(join(folder, 'source-')), name);
    writeFileSync(path, source);
    return path;
  });
  const { stdout, stderr, status } = spawnSync(process.execPath, [inProject('scripts', 'prose.mjs'), ...paths], {
    encoding: 'utf8',
  });
  const output = stdout + stderr;
  const linesOf = (path: string) => output.split('\n').filter((line) => line.includes(path));
  return { paths, status, output, linesOf };
}
