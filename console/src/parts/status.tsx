const GOOD = /^(success|completed|done|active|deployed|ready|live|delivered|ok|available|alive)/i;
const BAD = /^(failed|error|disabled|inactive|degraded|down|lost|dead)/i;

/** Shows a state. Its color repeats what its word says. */
export function Status({ of }: { of: string }) {
  const kind = GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'other';
  return (
    <span className="status" data-kind={kind}>
      {of}
    </span>
  );
}
