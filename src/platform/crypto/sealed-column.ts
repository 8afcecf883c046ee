/** A column of sealed texts. Sealing requires one, so that re-wrapping finds all sealed texts. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that identifies a row. */
  readonly id: string;
}

const columns = new Map<string, SealedColumn>();

export function defineSealed({ table, column, id = 'id' }: Omit<SealedColumn, 'id'> & { id?: string }): SealedColumn {
  const name = `${table}.${column}`;
  if (!isSealedName(column)) throw new Error(`${name} has sealed texts, so its name has to end in _sealed`);
  if (columns.has(name)) throw new Error(`${name} is defined as sealed twice`);
  const defined = { table, column, id };
  columns.set(name, defined);
  return defined;
}

/** Whether a column is named as one with sealed texts. A test finds such columns without a definition. */
export function isSealedName(column: string): boolean {
  return column.endsWith('_sealed');
}

export function sealedColumns(): SealedColumn[] {
  return [...columns.values()];
}
