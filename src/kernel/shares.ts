/**
 * Places that several want. Nobody takes another one while as many are his as are left, so whoever comes next finds some,
 * whatever those before him do: alone, one has half of them; two have a third each, and a third is left.
 */
export class Shares {
  private readonly counts = new Map<string, number>();
  private readonly mostOfOne: number;
  private taken = 0;

  constructor(private readonly total: number) {
    this.mostOfOne = Math.ceil(total / 2);
  }

  get left(): number {
    return Math.max(0, this.total - this.taken);
  }

  /** How many each has who has any. */
  get byHolder(): ReadonlyMap<string, number> {
    return this.counts;
  }

  hasRoomFor(holder: string): boolean {
    return this.countOf(holder) < this.left;
  }

  /** Whether there is room or not. What one has past what may be his takes nothing from others. */
  take(holder: string): void {
    const count = this.countOf(holder) + 1;
    this.counts.set(holder, count);
    if (count <= this.mostOfOne) this.taken += 1;
  }

  giveBack(holder: string): void {
    const count = this.countOf(holder);
    if (count > 1) this.counts.set(holder, count - 1);
    else this.counts.delete(holder);
    if (count <= this.mostOfOne) this.taken -= 1;
  }

  private countOf(holder: string): number {
    return this.counts.get(holder) ?? 0;
  }
}
