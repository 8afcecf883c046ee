type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** Fills the parameters of a path of the API, for requests that are shown or that the client cannot send. */
export function filled<Path extends string>(path: Path, values: Record<NamesIn<Path>, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name as NamesIn<Path>]));
}
