/** Merges calls for the same work: all calls that come while it runs share one further run. */
export class Coalesced {
  private working: Promise<void> | undefined;
  private isWanted = false;

  constructor(private readonly work: () => Promise<void>) {}

  get isWorking(): boolean {
    return this.working !== undefined;
  }

  /** Settles once the work has run from beginning to end after the call. */
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
      // This follows the last check of `isWanted` without a pause, so that no call in between is lost.
      this.working = undefined;
    }
  }
}
