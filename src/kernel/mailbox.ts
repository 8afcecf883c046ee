/** Collects messages for one reader, and is the only way to wait for more of them. */
export class Mailbox<Letter> {
  private letters: Letter[] = [];
  private isWoken = false;
  private isToLook = false;
  private wakeUp: (() => void) | undefined;

  put(letter: Letter): void {
    this.letters.push(letter);
    this.rouse();
  }

  /** Wakes the reader without a message, because there may be something to look at. */
  wake(): void {
    this.isToLook = true;
    this.rouse();
  }

  /**
   * Whether there may be more than the messages say, because the reader was woken or nothing came in time. Asking
   * resets it.
   */
  mustLook(): boolean {
    const must = this.isToLook;
    this.isToLook = false;
    return must;
  }

  /** Takes all messages that have arrived. */
  all(): Letter[] {
    return this.letters.splice(0);
  }

  /**
   * Resolves when the reader was woken since the last call, at the latest after the given time. Throws the signal's
   * reason.
   */
  async something(withinMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.isWoken && !signal?.aborted) await this.pause(withinMs, signal);
    signal?.throwIfAborted();
    if (!this.isWoken) this.isToLook = true;
    this.isWoken = false;
  }

  private rouse(): void {
    this.isWoken = true;
    this.wakeUp?.();
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
