import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command.js';

const BAR_WIDTH = 30;

/** A person has pressed Ctrl-C instead of an answer. */
export class Interrupted extends Error {}

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

  /**
   * Asks a person, and returns an empty text if they end the input with Ctrl-D. `what` completes the sentence that is
   * shown where there is no terminal.
   */
  async ask(question: string, what: string, { isSecret = false } = {}): Promise<string> {
    if (!this.isInteractive) throw new UsageError(`There is no terminal to ask for ${what}.`);
    const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
    // From here on the terminal echoes nothing by itself, so a secret is asked for afterwards.
    const reader = createInterface({ input: process.stdin, output, terminal: true });
    if (isSecret) process.stderr.write(question);
    const ended = new AbortController();
    let isInterrupted = false;
    reader
      .once('close', () => ended.abort())
      .once('SIGINT', () => {
        isInterrupted = true;
        reader.close();
      });
    try {
      return (await reader.question(isSecret ? '' : question, { signal: ended.signal })).trim();
    } catch (error) {
      if (isInterrupted) throw new Interrupted();
      if (ended.signal.aborted) return '';
      throw error;
    } finally {
      // Closing the reader ends it as well, so that is asked before.
      const isBroken = ended.signal.aborted;
      reader.close();
      if (isSecret || isBroken) process.stderr.write('\n');
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
