import { formatCode } from './format.js';

const GOOD = /^(success|completed|done|active|deployed|ready|live|delivered|ok|available|alive)/i;
const BAD = /^(failed|error|disabled|inactive|degraded|down|lost|dead)/i;

/** Shows the code of a state as words. Its color repeats what they say. */
export function Status({ of }: { of: string }) {
  const kind = GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'other';
  return (
    <span className="status" data-kind={kind}>
      {formatCode(of)}
    </span>
  );
}
