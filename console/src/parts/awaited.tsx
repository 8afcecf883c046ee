import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { isGone } from '../api/queries.js';
import { ErrorBox } from './error-box.js';

interface AwaitedProps<Data> {
  /** The answer, which is undefined until it has been read, and why reading it failed the last time. */
  of: { data: Data | undefined; error: Error | null };
  /** Stands in place of an answer that did not arrive. The default is the sentence of the error. */
  missing?: (error: Error) => ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Shows an answer when it has arrived. If reading it again fails, the error stands above what is known. It stands alone if
 * the thing has been deleted, so that nothing is offered for it.
 */
export function Awaited<Data>({ of: { data, error }, missing, children }: AwaitedProps<Data>) {
  if (data === undefined && error && missing) return missing(error);
  return (
    <>
      {error && <ErrorBox error={error} />}
      {data === undefined && !error && <Loader />}
      {data !== undefined && !isGone(error) && children(data)}
    </>
  );
}
