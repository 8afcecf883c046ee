import { Badge } from '@mantine/core';

const GOOD = /^(success|completed|done|active|deployed|ready|live|delivered|ok|available|alive)/i;
const BAD = /^(failed|error|disabled|inactive|degraded|down|lost|dead)/i;

/** Shows a state. Its color repeats what its word says. */
export function Status({ of }: { of: string }) {
  const color = GOOD.test(of) ? 'teal.9' : BAD.test(of) ? 'red.9' : 'gray.7';
  return (
    <Badge color={color} variant="filled" size="sm" tt="none" miw="max-content">
      {of}
    </Badge>
  );
}
