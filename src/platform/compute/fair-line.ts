/** A waiting line in which those who wait for somebody take turns with those who wait for others. */
export class FairLine<T> {
  /** In the order of their turns. None is empty. */
  private readonly lines = new Map<string, T[]>();

  lengthOf(whose: string): number {
    return this.lines.get(whose)?.length ?? 0;
  }

  add(whose: string, waiting: T): void {
    const line = this.lines.get(whose);
    if (line) line.push(waiting);
    else this.lines.set(whose, [waiting]);
  }

  /** The first of whoever has the turn and may take it, who then has the next one after all others. */
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

  /** Whether somebody waits who may take a turn. */
  hasNext(mayTake: (whose: string) => boolean): boolean {
    return [...this.lines.keys()].some(mayTake);
  }

  /** It waits no longer. Nothing where it did not. */
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
