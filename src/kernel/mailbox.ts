/** Collects messages for one reader, and is the only way to wait for more of them. */
export class Mailbox<Message> {
  private messages: Message[] = [];
  private isWoken = false;
  private isLookDue = false;
  private wakeUp: (() => void) | undefined;

  put(message: Message): void {
    this.messages.push(message);
    this.wakeReader();
  }

  /** Wakes the reader without a message, because there may be something to look at. */
  wake(): void {
    this.isLookDue = true;
    this.wakeReader();
  }

  /**
   * Whether there may be more than the messages say, because the reader was woken or nothing came in time. Asking
   * resets it.
   */
  mustLook(): boolean {
    const must = this.isLookDue;
    this.isLookDue = false;
    return must;
  }

  /** Takes all messages that have arrived. */
  all(): Message[] {
    return this.messages.splice(0);
  }

  /**
   * Resolves when the reader was woken since the last call, at the latest after the given time. Throws the signal's
   * reason.
   */
  async arrival(withinMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.isWoken && !signal?.aborted) await this.pause(withinMs, signal);
    signal?.throwIfAborted();
    if (!this.isWoken) this.isLookDue = true;
    this.isWoken = false;
  }

  private wakeReader(): void {
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
