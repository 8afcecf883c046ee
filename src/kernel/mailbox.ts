/** What was told and nobody has taken yet, and the one way to wait for more of it. */
export class Mailbox<Letter> {
  private letters: Letter[] = [];
  private isWoken = false;
  private wakeUp: (() => void) | undefined;

  put(letter: Letter): void {
    this.letters.push(letter);
    this.wake();
  }

  /** There may be something to look at, and nothing to tell about it. */
  wake(): void {
    this.isWoken = true;
    this.wakeUp?.();
  }

  /** Takes what has arrived. */
  all(): Letter[] {
    return this.letters.splice(0);
  }

  /** Resolves when it was woken since the last time, at the latest after so long. Throws the signal's reason. */
  async something(withinMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.isWoken && !signal?.aborted) await this.pause(withinMs, signal);
    signal?.throwIfAborted();
    this.isWoken = false;
  }

  private pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener('abort', done, { once: true });
      this.wakeUp = done;
    });
  }
}
