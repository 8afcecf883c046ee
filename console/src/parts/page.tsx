import { Button, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { CopyCurl, type CurlRequest } from './copy-curl.js';
import { withVisibleMarks } from './visible-marks.js';

interface PageProps {
  title: string;
  /** The request that answers with what the page shows. */
  request?: CurlRequest | undefined;
  /** The way back to the list in whose place the page is shown. */
  back?: { label: string; go: () => void };
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, request, back, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <Stack component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={1} size="h2" className="page-title" dir="auto">
          {withVisibleMarks(title)}
        </Title>
        <Group gap="xs">
          {back && (
            <Button size="xs" variant="default" onClick={back.go}>
              {back.label}
            </Button>
          )}
          {actions}
          {request && <CopyCurl request={request} />}
        </Group>
      </Group>
      {children}
    </Stack>
  );
}
