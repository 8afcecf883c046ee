/** What was told and nobody has taken yet, and the one way to wait for more of it. */
export class Mailbox<Letter> {
  private letters: Letter[] = [];
  private isWoken = false;
  private isToLook = false;
  private wakeUp: (() => void) | undefined;

  put(letter: Letter): void {
    this.letters.push(letter);
    this.rouse();
  }

  /** There may be something to look at, and nothing to tell about it. */
  wake(): void {
    this.isToLook = true;
    this.rouse();
  }

  /** Whether there may be more than the letters tell, since it was woken or nothing came in time. Asked once. */
  mustLook(): boolean {
    const must = this.isToLook;
    this.isToLook = false;
    return must;
  }

  /** Takes what has arrived. */
  all(): Letter[] {
    return this.letters.splice(0);
  }

  /** Resolves when it was woken since the last time, at the latest after so long. Throws the signal's reason. */
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
