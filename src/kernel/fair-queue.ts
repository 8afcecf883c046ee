/** A queue in which the owners of the waiting items take turns. */
export class FairQueue<T> {
  /** The queues of the owners, in the order of their turns. None is empty. */
  private readonly queues = new Map<string, T[]>();

  lengthOf(owner: string): number {
    return this.queues.get(owner)?.length ?? 0;
  }

  add(owner: string, waiting: T): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(waiting);
    else this.queues.set(owner, [waiting]);
  }

  /** Removes the first item of the next owner that may take a turn. The owner's next turn comes after all others. */
  next(mayTake: (owner: string) => boolean): T | undefined {
    for (const [owner, queue] of this.queues) {
      if (!mayTake(owner)) continue;
      const first = queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      return first;
    }
    return undefined;
  }

  /** Whether an owner with waiting items may take a turn. */
  hasNext(mayTake: (owner: string) => boolean): boolean {
    return [...this.queues.keys()].some(mayTake);
  }

  /** Removes an item if it is still waiting. */
  remove(owner: string, waiting: T): void {
    const queue = this.queues.get(owner) ?? [];
    const at = queue.indexOf(waiting);
    if (at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(owner);
  }

  clear(): T[] {
    const all = [...this.queues.values()].flat();
    this.queues.clear();
    return all;
  }
}
