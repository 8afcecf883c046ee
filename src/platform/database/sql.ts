/** SQL with its values: in `` sql`…${value}…` `` a value becomes a parameter, and other SQL becomes part of the text. */
export class Sql {
  constructor(
    private readonly strings: readonly string[],
    private readonly parts: readonly unknown[],
  ) {}

  toQuery(): { text: string; values: unknown[] } {
    const values: unknown[] = [];
    return { text: this.write(values), values };
  }

  private write(values: unknown[]): string {
    let text = this.strings[0]!;
    this.parts.forEach((part, at) => {
      text += part instanceof Sql ? part.write(values) : `$${values.push(part)}`;
      text += this.strings[at + 1]!;
    });
    return text;
  }
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts);
}

/** Text that is part of the program: a name or a keyword, never anything that came from outside. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('');
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}
