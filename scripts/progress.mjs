const CLEAR_LINE = '\r\x1b[K';

/** Prints a line. On a terminal, it takes the place of the line that moves. @param {string} line */
export function say(line) {
  console.log(process.stdout.isTTY ? `${CLEAR_LINE}${line}` : line);
}

/**
 * Does the work and says how long it takes.
 * @param {(line: string) => void} print
 * @param {string} name
 * @param {() => Promise<unknown>} work
 */
export async function step(print, name, work) {
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  if (!process.stdout.isTTY) print(name);
  await watched(print, name, seconds, work);
  print(`${name}: done in ${seconds()}`);
}

/**
 * Does the work and says how far it is: on a terminal in one line that moves, and elsewhere in a line now and then.
 * @template Result
 * @param {(line: string) => void} print
 * @param {string} name
 * @param {() => string | Promise<string>} howFar
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function watched(print, name, howFar, work) {
  const isOnTerminal = process.stdout.isTTY;
  let isOver = false;
  const show = async () => {
    const line = `${name}: ${await howFar()}`;
    if (isOver) return;
    if (isOnTerminal) process.stdout.write(`${CLEAR_LINE}${line}`);
    else print(`${line} so far`);
  };
  const progress = setInterval(() => void show().catch(() => undefined), isOnTerminal ? 1_000 : 10_000);
  try {
    return await work();
  } finally {
    isOver = true;
    clearInterval(progress);
    if (isOnTerminal) process.stdout.write(CLEAR_LINE);
  }
}
