import { Box, Drawer, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '../app/session.js';
import { CopyCurl, type CurlRequest } from './copy-curl.js';

interface SidePanelProps {
  title: string;
  /** The request that answers with what the panel shows. */
  request: CurlRequest;
  onClose: () => void;
  children: ReactNode;
}

/** Shows one thing beside its list. */
export function SidePanel({ title, request, onClose, children }: SidePanelProps) {
  const { needsKey } = useSession();
  // The library returns the focus only to what opened a panel that stays in the page.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.focus());
    },
    [opener],
  );
  return (
    <Drawer
      opened
      // Nothing closes the panel behind the sign-in, because that would lose what its form holds.
      onClose={() => (needsKey ? undefined : onClose())}
      position="right"
      size="xl"
      title={<bdi>{title}</bdi>}
      classNames={{ title: 'panel-title' }}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack align="flex-start">
        <CopyCurl request={request} />
        <Box w="100%">{children}</Box>
      </Stack>
    </Drawer>
  );
}
