import { Box, Drawer, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSession } from '../app/session.js';
import { CopyCurl, type CurlRequest } from './copy-curl.js';
import { ForeignName } from './foreign-text.js';
import { returnKeyboard } from './keyboard.js';

interface SidePanelProps {
  title: string;
  /** The request that answers with what the panel shows. */
  request: CurlRequest;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Shows one thing beside its list, which stays in use: another row of it takes the place of this one. The page ends
 * where the panel begins, unless the window has no room for both.
 */
export function SidePanel({ title, request, onClose, children }: SidePanelProps) {
  const { needsKey } = useSession();
  return (
    <Drawer
      opened
      // Nothing closes the panel behind the sign-in, because that would lose what its form holds.
      onClose={() => (needsKey ? undefined : onClose())}
      position="right"
      size="var(--panel-width)"
      shadow="xl"
      withOverlay={false}
      lockScroll={false}
      trapFocus={false}
      closeOnClickOutside={false}
      title={<ForeignName>{title}</ForeignName>}
      classNames={{ inner: 'panel', title: 'panel-title' }}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <KeyboardInPanel of={request.path} />
      <Stack align="flex-start">
        <CopyCurl request={request} />
        <Box w="100%">{children}</Box>
      </Stack>
    </Drawer>
  );
}

/**
 * Moves the keyboard into the panel when it opens or shows something else, and back to the row when it closes. The
 * library does so only for modal panels, and marks every panel as modal for screen readers.
 */
function KeyboardInPanel({ of }: { of: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const opener = useRef<Element>(null);
  useEffect(() => {
    const panel = place.current!.closest<HTMLElement>('[role=dialog]')!;
    panel.setAttribute('aria-modal', 'false');
    if (panel.contains(document.activeElement)) return;
    opener.current = document.activeElement;
    panel.focus();
  }, [of]);
  useEffect(
    () => () => {
      setTimeout(returnKeyboard, 0, opener.current);
    },
    [],
  );
  return <span ref={place} />;
}
