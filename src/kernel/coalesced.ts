/** Work for many who ask: whoever asks while it is done shares the next time with all who do. */
export class Coalesced {
  private working: Promise<void> | undefined;
  private isWanted = false;

  constructor(private readonly work: () => Promise<void>) {}

  get isWorking(): boolean {
    return this.working !== undefined;
  }

  /** Settles once it was done from begin to end after the call. */
  ask(): Promise<void> {
    this.isWanted = true;
    return (this.working ??= this.whileWanted());
  }

  private async whileWanted(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        await Promise.resolve().then(this.work);
      }
    } finally {
      // At once with the last look at the wish: nobody asks in between and is not heard.
      this.working = undefined;
    }
  }
}
