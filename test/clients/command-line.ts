import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../clients/typescript/dist/cli/main.js', import.meta.url));

export interface Ended {
  code: number | null;
  /** The standard output. */
  said: string;
  /** The standard error. */
  noted: string;
}

export interface Running {
  process: ChildProcess;
  said: () => string;
  noted: () => string;
  ended: Promise<Ended>;
}

/** A user of the command line, with a home of their own and without a terminal. */
export class ShellUser {
  readonly home = mkdtempSync(join(process.env.TEST_FOLDER!, 'home-'));

  constructor(readonly env: Record<string, string> = {}) {}

  run(...args: string[]): Promise<Ended> {
    return this.pipe('', ...args);
  }

  /** Runs a command with this standard input. */
  pipe(input: string, ...args: string[]): Promise<Ended> {
    return this.start(input, ...args).ended;
  }

  start(input: string, ...args: string[]): Running {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { HOME: this.home, ...this.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const texts = { said: '', noted: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.noted += text));
    child.stdin.on('error', () => undefined).end(input);
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
    return { process: child, said: () => texts.said, noted: () => texts.noted, ended };
  }
}

/** Returns the values that a command prints with `--json`. */
export function valuesIn({ said }: Ended): Record<string, unknown>[] {
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
