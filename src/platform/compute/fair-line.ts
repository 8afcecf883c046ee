/** A queue with one list for each owner, whose owners take turns. */
export class FairLine<T> {
  /** The lists in the order of their turns. No list is empty. */
  private readonly lines = new Map<string, T[]>();

  lengthOf(whose: string): number {
    return this.lines.get(whose)?.length ?? 0;
  }

  add(whose: string, waiting: T): void {
    const line = this.lines.get(whose);
    if (line) line.push(waiting);
    else this.lines.set(whose, [waiting]);
  }

  /** Removes the first item of the next owner that may take a turn. That owner's next turn comes after all others. */
  next(mayTake: (whose: string) => boolean): T | undefined {
    for (const [whose, line] of this.lines) {
      if (!mayTake(whose)) continue;
      const first = line.shift();
      this.lines.delete(whose);
      if (line.length > 0) this.lines.set(whose, line);
      return first;
    }
    return undefined;
  }

  /** Whether an owner with waiting items may take a turn. */
  hasNext(mayTake: (whose: string) => boolean): boolean {
    return [...this.lines.keys()].some(mayTake);
  }

  /** Removes an item if it is still waiting. */
  remove(whose: string, waiting: T): void {
    const line = this.lines.get(whose) ?? [];
    const at = line.indexOf(waiting);
    if (at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) this.lines.delete(whose);
  }

  clear(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    return all;
  }
}
