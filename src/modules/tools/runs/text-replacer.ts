/**
 * Replaces many texts within a text in one pass, by the algorithm of Aho and Corasick. The time is linear in the length
 * of the text and does not depend on the number of texts that are searched for. Overlapping matches are replaced
 * together, by the replacement of the longest.
 */
export class TextReplacer {
  private readonly texts: readonly string[];
  private readonly replacements: readonly string[];
  // The nodes of the trie are prefixes of the texts, and node 0 is the empty one. The arrays have an entry for each.
  /** The last character of the prefix. */
  private readonly character: Uint16Array;
  /** A prefix that is longer by one character. The further ones are in `branches`. */
  private readonly child: Int32Array;
  private readonly branches = new Map<number, Map<number, number>>();
  /** The longest other prefix with which this one ends. */
  private readonly shorter: Int32Array;
  /** The number, from 1, of the longest text with which the prefix ends. */
  private readonly found: Int32Array;
  private readonly begins = new Uint8Array(0x10000);

  constructor(replacements: ReadonlyMap<string, string>) {
    this.texts = [...replacements.keys()];
    this.replacements = [...replacements.values()];
    const most = this.texts.reduce((sum, { length }) => sum + length, 1);
    this.character = new Uint16Array(most);
    this.child = new Int32Array(most);
    this.shorter = new Int32Array(most);
    this.found = new Int32Array(most);
    let nodes = 1;
    for (const [number, text] of this.texts.entries()) {
      let at = 0;
      for (let index = 0; index < text.length; index += 1) {
        const character = text.charCodeAt(index);
        const next = this.next(at, character);
        if (next === 0) this.grow(at, character, nodes++);
        at = next || nodes - 1;
      }
      this.found[at] = number + 1;
      this.begins[text.charCodeAt(0)] = 1;
    }
    this.link(nodes);
  }

  in(text: string): string {
    const matches = this.matches(text);
    if (matches.length === 0) return text;
    let replaced = '';
    let done = 0;
    for (const { start, end, number } of matches) {
      replaced += text.slice(done, start) + this.replacements[number - 1]!;
      done = end;
    }
    return replaced + text.slice(done);
  }

  /** Returns the places to be replaced, which do not overlap. */
  private matches(text: string): Match[] {
    const matches: Match[] = [];
    let at = 0;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charCodeAt(index);
      if (at === 0 && this.begins[character] === 0) continue;
      at = this.after(at, character);
      const number = this.found[at]!;
      if (number > 0) this.add(matches, number, index + 1);
    }
    return matches;
  }

  private add(matches: Match[], number: number, end: number): void {
    let longest = number;
    let start = end - this.texts[number - 1]!.length;
    for (let last = matches.at(-1); last !== undefined && last.end > start; last = matches.at(-1)) {
      start = Math.min(start, last.start);
      if (this.texts[last.number - 1]!.length > this.texts[longest - 1]!.length) longest = last.number;
      matches.pop();
    }
    matches.push({ start, end, number: longest });
  }

  /** Returns the node of the longest prefix with which the text ends after this character. */
  private after(node: number, character: number): number {
    let at = node;
    let next = this.next(at, character);
    while (next === 0 && at !== 0) {
      at = this.shorter[at]!;
      next = this.next(at, character);
    }
    return next;
  }

  private next(node: number, character: number): number {
    const child = this.child[node]!;
    if (child === 0 || this.character[child] === character) return child;
    return this.branches.get(node)?.get(character) ?? 0;
  }

  private grow(node: number, character: number, added: number): void {
    this.character[added] = character;
    if (this.child[node] === 0) this.child[node] = added;
    else if (this.branches.has(node)) this.branches.get(node)!.set(character, added);
    else this.branches.set(node, new Map([[character, added]]));
  }

  /** Computes `shorter` and `found` breadth first, because a node needs those of shorter prefixes. */
  private link(nodes: number): void {
    const order = new Int32Array(nodes);
    let known = 1;
    const follow = (child: number, parent: number) => {
      order[known++] = child;
      if (parent !== 0) this.shorter[child] = this.after(this.shorter[parent]!, this.character[child]!);
      this.found[child] ||= this.found[this.shorter[child]!]!;
    };
    for (let done = 0; done < known; done += 1) {
      const node = order[done]!;
      if (this.child[node] !== 0) follow(this.child[node]!, node);
      for (const child of this.branches.get(node)?.values() ?? []) follow(child, node);
    }
  }
}

interface Match {
  start: number;
  end: number;
  number: number;
}
