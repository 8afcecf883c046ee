import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Awaited } from './awaited.js';
import type { CurlRequest } from './copy-curl.js';
import { SidePanel } from './side-panel.js';

interface ReadPanelProps<T> {
  title: string;
  /** The request that answers with what the panel shows. */
  request: CurlRequest;
  /** Undefined until it has been read. */
  data: T | undefined;
  error: Error | null;
  onClose: () => void;
  children: (data: T) => ReactNode;
}

/** Shows one thing beside its list, which is read when it is opened. */
export function ReadPanel<T>({ title, request, data, error, onClose, children }: ReadPanelProps<T>) {
  return (
    <SidePanel title={title} request={request} onClose={onClose}>
      <Awaited of={{ data, error }}>{(read) => <Stack>{children(read)}</Stack>}</Awaited>
    </SidePanel>
  );
}
