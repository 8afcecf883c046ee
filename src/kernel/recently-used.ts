/** A cache by name, which keeps the things that were used last. */
export class RecentlyUsed<Name, Thing> {
  private readonly things = new Map<Name, Thing>();

  constructor(private readonly most: number) {}

  get(name: Name): Thing | undefined {
    const thing = this.things.get(name);
    if (thing !== undefined) this.set(name, thing);
    return thing;
  }

  set(name: Name, thing: Thing): void {
    this.things.delete(name);
    this.things.set(name, thing);
    if (this.things.size > this.most) this.things.delete(this.things.keys().next().value!);
  }

  deleteWhere(isOutdated: (thing: Thing) => boolean): void {
    for (const [name, thing] of this.things) if (isOutdated(thing)) this.things.delete(name);
  }
}
