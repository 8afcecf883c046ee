import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually.js';
import { PROGRAM, type ShellUser } from './command-line.js';

/** Whether the machine has `script` of util-linux, which runs a command on a terminal of its own. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const ENTER = '\r';

/** A command of the command line that runs on a terminal, on which a person types. */
export class OnTerminal {
  private shown = '';
  private shownBefore = 0;
  private readonly child;
  readonly ended: Promise<number>;

  constructor({ home, env }: ShellUser, ...args: string[]) {
    const command = [process.execPath, PROGRAM, ...args].map((part) => `'${part}'`).join(' ');
    // The terminal echoes what is typed unless the program prevents it.
    const options = ['--quiet', '--return', '--echo', 'always', '--command', command, '/dev/null'];
    this.child = spawn('script', options, {
      env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.shown += text));
    this.ended = once(this.child, 'close').then(([code]) => code as number);
  }

  /** Returns what the terminal has shown until now. */
  get screen(): string {
    return this.shown;
  }

  /** Types after the terminal has shown the text, counted from what was typed last. */
  async type(keys: string, after: string): Promise<void> {
    await eventually(() => this.shown.includes(after, this.shownBefore));
    this.shownBefore = this.shown.length;
    this.child.stdin.write(keys);
  }
}
