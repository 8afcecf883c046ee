const CLEAR_LINE = '\r\x1b[K';

/** Prints a line. On a terminal, it takes the place of the line that moves. @param {string} line */
export function say(line) {
  console.log(process.stdout.isTTY ? `${CLEAR_LINE}${line}` : line);
}

/**
 * Does the work and says how long it takes: on a terminal in one line that moves, and elsewhere in a line now and then.
 * @param {(line: string) => void} print
 * @param {string} name
 * @param {() => Promise<unknown>} work
 */
export async function step(print, name, work) {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const isOnTerminal = process.stdout.isTTY;
  if (!isOnTerminal) print(name);
  const progress = isOnTerminal
    ? setInterval(() => process.stdout.write(`${CLEAR_LINE}${name}: ${seconds()} s`), 1_000)
    : setInterval(() => print(`${name}: ${seconds()} s so far`), 10_000);
  try {
    await work();
  } finally {
    clearInterval(progress);
    if (isOnTerminal) process.stdout.write(CLEAR_LINE);
  }
  print(`${name}: done in ${seconds()} s`);
}
