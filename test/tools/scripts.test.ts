import { ScriptFailure, Scripts } from '../../src/modules/tools/scripts/scripts.js';
import { ComputePool } from '../../src/platform/compute/compute-pool.js';
import { scopeOf } from '../../src/platform/template/scope.js';

const pool = new ComputePool();
const scripts = new Scripts(pool);
afterAll(() => pool.onApplicationShutdown());

const scope = scopeOf({ input: { n: 20 }, nodes: {}, env: {}, run: { id: 'r-1' } });
const run = (code: string, timeoutMs = 5_000) => scripts.run({ projectId: 'p-1', code, scope, timeoutMs });
const faultOf = async (code: string, timeoutMs = 5_000) => {
  const error = await run(code, timeoutMs).then(
    (output) => new Error(`It returned ${output}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ScriptFailure)) throw error as Error;
  return error;
};

it('returns what a script returns, as JSON, and waits for what it awaits', async () => {
  expect(await run('return { doubled: input.n * 2 };')).toBe('{"doubled":40}');
  expect(await run('return await Promise.resolve([1, "zwei", null]);')).toBe('[1,"zwei",null]');
  expect(await run('input.n += 1;')).toBeUndefined();
  expect(await run('return run.id;')).toBe('"r-1"');
});

it('gives each script its own global objects', async () => {
  await run('globalThis.left = 1; Object.prototype.polluted = 1; JSON.parse = () => 1;');
  expect(await run('return [typeof left, {}.polluted === undefined, JSON.parse("2")];')).toBe('["undefined",true,2]');
});

it('gives scripts only the language: no files, no network, no process, and a clock that stands still', async () => {
  const names = ['process', 'require', 'fetch', 'setTimeout', 'WebAssembly', 'Worker', 'XMLHttpRequest', '__begin'];
  const seen = await run(`return [${names.map((name) => `typeof ${name}`).join(', ')}];`);
  expect(JSON.parse(seen!)).toEqual(names.map(() => 'undefined'));
  expect(await run('const a = Date.now(); for (let i = 0; i < 1e6; i++); return Date.now() - a;', 5_000)).toBe('0');
  expect((await faultOf('return await import("node:fs");')).fault).toBe('threw');
});

it.each([
  ['an endless loop', 'for (;;);'],
  ['an endless loop that catches what ends it', 'for (;;) { try { for (;;); } catch {} }'],
  [
    'an endless line of promises',
    'const again = () => void Promise.resolve().then(again); again(); await new Promise(() => {});',
  ],
  ['a regular expression that takes for ever', 'return /^(a+)+$/.test("a".repeat(60) + "!");'],
  ['numbers that take for ever', 'let x = 3n ** 60000n; for (;;) x = (x * x) % (7n ** 21000n);'],
  ['a search that takes for ever', 'const t = "a".repeat(2e6); for (;;) t.indexOf("a".repeat(1e6) + "b");'],
])('ends %s in time', async (_, code) => {
  const begun = performance.now();
  expect((await faultOf(code, 300)).fault).toBe('timeout');
  // The limit is for computing time. On a busy machine, the thread gets less of the time that passes.
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(await run('return 1;')).toBe('1');
});

it.each([
  ['a list without end', 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length);'],
  ['one huge text', 'return "a".repeat(2 ** 29).length;'],
  ['a buffer', 'return new ArrayBuffer(2 ** 30).byteLength;'],
])('ends a script that uses too much memory: %s', async (_, code) => {
  expect((await faultOf(code, 5_000)).fault).toBe('memory');
  expect(await run('return 1;')).toBe('1');
});

it('survives endless nesting', async () => {
  for (const code of [
    'const f = () => f(); f();',
    'JSON.parse("[".repeat(1e5));',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;',
  ]) {
    expect(['threw', 'memory', 'unserializable', 'timeout']).toContain((await faultOf(code, 5_000)).fault);
  }
  expect(await run('return 1;')).toBe('1');
});

it('reports what was thrown, and in which line', async () => {
  expect(await faultOf('const a = 1;\nthrow new Error("no luck");')).toMatchObject({
    fault: 'threw',
    message: 'Error: no luck (line 2)',
  });
  expect((await faultOf('throw "a text";')).message).toBe('a text');
  expect((await faultOf('throw "a".repeat(499) + "😀";')).message).toBe(`${'a'.repeat(499)}\ufffd`);
  expect(await faultOf('return 1n;')).toMatchObject({ fault: 'unserializable' });
  expect((await faultOf('await new Promise(() => {});')).fault).toBe('pending');
  expect((await faultOf('return "x".repeat(2e6);', 5_000)).fault).toBe('tooLarge');
});

it.each([
  ['throws', 'throw new Error("no JSON of it");', 'unserializable', 'Error: no JSON of it (line 1)'],
  ['throws no error', 'throw "no JSON of it";', 'unserializable', 'no JSON of it'],
  ['does not end', 'for (;;);', 'timeout', 'It exceeded its time limit'],
])('reports the reason if toJSON of the result %s', async (_, body, fault, message) => {
  expect(await faultOf(`return { toJSON() { ${body} } };`, 300)).toMatchObject({ fault, message });
  expect(await faultOf(`await null; return { toJSON() { ${body} } };`, 300)).toMatchObject({ fault, message });
});

it('reports what does not compile, and in which line', async () => {
  expect(await scripts.faultOf('p-1', 'return 1;')).toBeUndefined();
  expect(await scripts.faultOf('p-1', 'const a = ;')).toMatch(/^SyntaxError: .+\(line 1\)$/);
  expect(await scripts.faultOf('p-1', 'return 1;\nlet b = {;')).toMatch(/\(line 2\)$/);
});

it('lets projects take turns, so that the many scripts of one do not delay those of the others', async () => {
  const done: string[] = [];
  const start = (projectId: string) =>
    scripts.run({ projectId, code: 'return 1;', scope, timeoutMs: 5_000 }).then(() => done.push(projectId));
  const busy = Array.from({ length: 1_000 }, () => start('p-busy'));
  await Promise.all([start('p-one'), start('p-two'), start('p-two')]);
  // Some scripts of the busy project ran before, and others in turn. Without turns, all 1,000 would have run.
  expect(done.filter((projectId) => projectId === 'p-busy').length).toBeLessThan(200);
  await Promise.all(busy);
});

it('drops scripts whose callers have left, and runs the others', async () => {
  const gone = new AbortController();
  const code = 'for (let i = 0; i < 1e6; i++); return 1;';
  const given = { projectId: 'p-gone', code, scope, timeoutMs: 5_000, signal: gone.signal };
  const waiting = Promise.allSettled(Array.from({ length: 100 }, () => scripts.run(given)));
  gone.abort(new Error('Nobody waits'));
  expect(await run('return 1;')).toBe('1');
  expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 'rejected'));
});

it('runs many scripts at once, each with its own result', async () => {
  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => run(`return input.n + ${n};`, 5_000)));
  expect(results).toEqual(Array.from({ length: 50 }, (_, n) => String(20 + n)));
});
