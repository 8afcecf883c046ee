import { ErrorBox } from './error-box.js';

/** Shows why actions of a page were refused. */
export function Refusals({ of }: { of: readonly { error: Error | null }[] }) {
  return of.map(({ error }, at) => error && <ErrorBox key={at} error={error} />);
}
