/** A waiting line in which those who wait for somebody take turns with those who wait for others. */
export class FairLine<T> {
  /** In the order of their turns. None is empty. */
  private readonly lines = new Map<string, T[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(whose: string, waiting: T): void {
    const line = this.lines.get(whose);
    if (line) line.push(waiting);
    else this.lines.set(whose, [waiting]);
    this.count += 1;
  }

  /** The first of whoever has the turn, who has the next one after all others. */
  next(): T | undefined {
    const [turn] = this.lines;
    if (!turn) return undefined;
    const [whose, line] = turn;
    const first = line.shift();
    this.lines.delete(whose);
    if (line.length > 0) this.lines.set(whose, line);
    this.count -= 1;
    return first;
  }

  /** It waits no longer. Nothing where it did not. */
  remove(whose: string, waiting: T): void {
    const line = this.lines.get(whose) ?? [];
    const at = line.indexOf(waiting);
    if (at < 0) return;
    line.splice(at, 1);
    this.count -= 1;
    if (line.length === 0) this.lines.delete(whose);
  }

  clear(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    this.count = 0;
    return all;
  }
}
