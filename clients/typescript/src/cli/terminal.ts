import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command.js';

const BAR_WIDTH = 30;

/** The streams of the process. Results go to the standard output, and everything else to the standard error. */
export class Terminal {
  private isBarShown = false;

  /** Whether a person can be asked. */
  get isInteractive(): boolean {
    return Boolean(process.stdin.isTTY && process.stderr.isTTY);
  }

  say(text: string): void {
    this.clearBar();
    process.stdout.write(`${text}\n`);
  }

  /** Writes a part of a line, as it arrives. */
  async write(part: string | Uint8Array): Promise<void> {
    this.clearBar();
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  }

  json(value: unknown): void {
    this.say(JSON.stringify(value));
  }

  note(text: string): void {
    this.clearBar();
    process.stderr.write(`${text}\n`);
  }

  /** Draws a bar over the one before it. Nothing is drawn if the standard error is a file or a pipe. */
  bar(label: string, percent: number): void {
    if (!process.stderr.isTTY) return;
    const filled = Math.round((percent / 100) * BAR_WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
    process.stderr.write(`\r\u001b[K${bar} ${String(percent).padStart(3)} %  ${label}`);
    this.isBarShown = true;
  }

  /** Asks a person. `what` completes the sentence that is shown where there is none. */
  async ask(question: string, what: string, { isSecret = false } = {}): Promise<string> {
    if (!this.isInteractive) throw new UsageError(`There is no terminal to ask for ${what}.`);
    if (isSecret) process.stderr.write(question);
    const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
    const reader = createInterface({ input: process.stdin, output, terminal: true });
    try {
      return (await reader.question(isSecret ? '' : question)).trim();
    } finally {
      reader.close();
      if (isSecret) process.stderr.write('\n');
    }
  }

  /** Returns what was piped in. */
  async input(): Promise<string> {
    if (process.stdin.isTTY) return '';
    const parts: Buffer[] = [];
    for await (const part of process.stdin) parts.push(part as Buffer);
    return Buffer.concat(parts).toString().trim();
  }

  private clearBar(): void {
    if (this.isBarShown) process.stderr.write('\r\u001b[K');
    this.isBarShown = false;
  }
}
