import type { Query } from './connection.js';

/** The number of statements whose plans the connections keep. Statements beyond it are planned each time. */
const MOST_PLANS = 1_000;

const namesOfPlans = new Map<string, string>();

/** Matches `select *` and `returning *` at the top level of a statement. */
const OF_ALL_COLUMNS = /(^|\)\s)\s*select (\w+\.)?\*|returning (\w+\.)?\*\s*$/;

/** When PostgreSQL plans a statement. */
type Planning = 'each time' | 'once' | 'once for all values';

/**
 * SQL with its values: in `` sql`…${value}…` `` a value becomes a parameter, and other SQL becomes part of the text.
 */
export class Sql {
  constructor(
    private readonly strings: readonly string[],
    private readonly parts: readonly unknown[],
    private readonly planning: Planning = 'each time',
  ) {}

  toQuery(): Query & { values: unknown[] } {
    const values: unknown[] = [];
    const text = this.write(values);
    const name = this.planning === 'each time' ? undefined : nameOfPlan(text);
    if (name === undefined) return { text, values };
    return { name, text, values, ...(this.planning === 'once for all values' && { isPlannedForAll: true }) };
  }

  /** Returns this SQL, planned once for each connection instead of each time. */
  planned(): Sql {
    return this.planning === 'each time' ? new Sql(this.strings, this.parts, 'once') : this;
  }

  /** Forces a generic plan, because PostgreSQL would plan again for values such as the bounds of partitions. */
  plannedForAll(): Sql {
    return new Sql(this.strings, this.parts, 'once for all values');
  }

  /**
   * Combines this statement with writes before it, each as one query of a `with` clause. All of them see the database
   * as it was before, and none sees what another writes. The writes must not have a `with` of their own, and this
   * statement no `with recursive`.
   */
  behind(writes: readonly Sql[]): Sql {
    const [first = '', ...rest] = this.strings;
    const ownWith = /^\s*with\s+(?!recursive)/i.exec(first);
    const named = writes.map((write, at) => sql`write_${raw(String(at + 1))} as (${write})`);
    const own = ownWith ? new Sql([first.slice(ownWith[0].length), ...rest], this.parts) : this;
    return new Sql(['with ', ownWith ? ', ' : ' ', ''], [join(named, ', '), own], this.planning);
  }

  private write(values: unknown[]): string {
    let text = this.strings[0]!;
    this.parts.forEach((part, at) => {
      text += part instanceof Sql ? part.write(values) : `$${parameterNumberOf(part, values)}`;
      text += this.strings[at + 1]!;
    });
    return text;
  }
}

/** A list may be long, so a list that occurs several times is sent once. */
function parameterNumberOf(part: unknown, values: unknown[]): number {
  const known = Array.isArray(part) ? values.indexOf(part) : -1;
  return known < 0 ? values.push(asGiven(part)) : known + 1;
}

/** The driver would write a time in the time zone of the process, which takes longer. */
function asGiven(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts);
}

/**
 * Makes SQL that is planned once for each connection, for frequent statements whose cost does not depend on their
 * values.
 */
export function planned(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return sql(strings, ...parts).planned();
}

/**
 * Makes SQL of text that is part of the program: a name, a keyword or a number. Text from outside must never get here.
 */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/**
 * Makes a condition that PostgreSQL does not compare with those of partial indexes, for a statement that finds its row by a
 * key: `opaque('finished_at is null')`. A partial index that was empty when it was last analyzed looks cheaper than the
 * key. PostgreSQL then reads all of it, which may be many thousand entries by now. Conversely, only statements with the same
 * condition can use an index that has it.
 */
export function opaque(condition: string): Sql {
  return raw(`(${condition}) is true`);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('');
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}

/** Returns the name under which connections keep the plan of a statement, or undefined if there are too many plans. */
function nameOfPlan(text: string): string | undefined {
  const known = namesOfPlans.get(text);
  if (known !== undefined) return known;
  // A migration that adds a column would break such a plan in every process that already has it.
  if (OF_ALL_COLUMNS.test(text)) throw new Error(`A planned statement names its columns: ${text}`);
  if (namesOfPlans.size >= MOST_PLANS) return undefined;
  const name = `slipway-${namesOfPlans.size + 1}`;
  namesOfPlans.set(text, name);
  return name;
}
