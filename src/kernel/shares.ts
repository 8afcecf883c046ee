/**
 * Shares slots between owners. An owner takes no further slot while it has as many as are left, so that the next owner
 * finds some whatever the others do. One owner alone has half of the slots; two have a third each, and a third is left.
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

  /** The number of slots of each owner that has any. */
  get countsByOwner(): ReadonlyMap<string, number> {
    return this.counts;
  }

  hasRoomFor(owner: string): boolean {
    return this.countOf(owner) < this.left;
  }

  /** Takes a slot even without room. Slots beyond an owner's share take nothing from the others. */
  take(owner: string): void {
    const count = this.countOf(owner) + 1;
    this.counts.set(owner, count);
    if (count <= this.mostOfOne) this.taken += 1;
  }

  release(owner: string): void {
    const count = this.countOf(owner);
    if (count > 1) this.counts.set(owner, count - 1);
    else this.counts.delete(owner);
    if (count <= this.mostOfOne) this.taken -= 1;
  }

  private countOf(owner: string): number {
    return this.counts.get(owner) ?? 0;
  }
}
