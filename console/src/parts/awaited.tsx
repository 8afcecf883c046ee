import { Loader } from '@mantine/core';
import { ErrorBox } from './error-box.js';

/** Stands where an answer will be: it says that the answer is loading, or why it did not arrive. */
export function Awaited({ error }: { error: Error | null }) {
  return error ? <ErrorBox error={error} /> : <Loader />;
}
