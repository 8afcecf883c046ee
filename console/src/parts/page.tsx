import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { CopyCurl, type CurlRequest } from './copy-curl.js';

interface PageProps {
  title: string;
  /** The request that answers with what the page shows. */
  request?: CurlRequest | undefined;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, request, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <Stack component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={1} size="h2" className="cell" dir="auto">
          {title}
        </Title>
        <Group gap="xs">
          {actions}
          {request && <CopyCurl request={request} />}
        </Group>
      </Group>
      {children}
    </Stack>
  );
}
