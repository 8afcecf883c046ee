import type { paths } from '../../schema.js';

/** A path of the API, as the description of the API writes it. */
export type ApiPath = keyof paths;

/** The query of a route that reads. */
export type QueryOf<Path extends ApiPath> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

/** The members by which a route of the administration sorts its list. */
export type SortOf<Path extends ApiPath> = QueryOf<Path> extends { sort?: infer By } ? By & string : never;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** Fills the parameters of a path of the API, for requests that are shown. */
export function filled<Path extends ApiPath>(path: Path, values: Record<NamesIn<Path>, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name as NamesIn<Path>]));
}
