import { say, step } from '../../scripts/progress.mjs';

const CLEAR_LINE = '\r\x1b[K';

it.each([
  ['a terminal', true, [`${CLEAR_LINE}Building: 1 s`, CLEAR_LINE, `${CLEAR_LINE}Building: done in 1 s\n`]],
  ['a file', false, ['Building\n', 'Building: done in 0 s\n']],
])('says on %s how long work takes', async (_, isTTY, expected) => {
  const { stdout } = process;
  const written: string[] = [];
  const { promise: moved, resolve: onMoved } = Promise.withResolvers<void>();
  const original = Object.getOwnPropertyDescriptors({ write: stdout.write.bind(stdout), isTTY: stdout.isTTY });
  const write = (text: string) => (onMoved(), written.push(text) > 0);
  const { log } = console;
  Object.assign(stdout, { write, isTTY });
  console.log = (line: string) => write(`${line}\n`);
  try {
    await step(say, 'Building', () => moved);
  } finally {
    console.log = log;
    Object.defineProperties(stdout, original);
  }
  expect(written).toEqual(expected);
});
