export interface Query {
  /** Of one that the database plans once for each connection. */
  name?: string;
  text: string;
  values: unknown[];
}

/** SQL with its values: in `` sql`…${value}…` `` a value becomes a parameter, and other SQL becomes part of the text. */
export class Sql {
  constructor(
    private readonly strings: readonly string[],
    private readonly parts: readonly unknown[],
    private readonly isPlanned = false,
  ) {}

  toQuery(): Query {
    const values: unknown[] = [];
    const text = this.write(values);
    return this.isPlanned ? { name: nameOfPlan(text), text, values } : { text, values };
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

/**
 * As `sql`, planned once for each connection and not for each call: for what is asked often, in a text that is always
 * the same.
 */
export function planned(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts, true);
}

/** Text that is part of the program: a name or a keyword, never anything that came from outside. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('');
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}

const namesOfPlans = new Map<string, string>();
const MANY_PLANS = 500;

function nameOfPlan(text: string): string {
  const known = namesOfPlans.get(text);
  if (known) return known;
  // A migration that adds a column would break the plan of `*`, and with it every process that still has the old one.
  if (/(select|returning|\.)\s*\*/i.test(text)) throw new Error(`A planned statement names its columns: ${text}`);
  // Every connection keeps every plan.
  if (namesOfPlans.size >= MANY_PLANS)
    throw new Error(`A planned statement has one text, without values in it: ${text}`);
  const name = `slipway-${namesOfPlans.size + 1}`;
  namesOfPlans.set(text, name);
  return name;
}
