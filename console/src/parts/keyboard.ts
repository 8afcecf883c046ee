import { useEffect } from 'react';

/** The id of the part of the window that shows the page. */
export const MAIN = 'main';

/** Moves the keyboard to the element, or to the page if that is gone. It stays where the user has moved it meanwhile. */
export function returnKeyboard(to?: Element | null): void {
  if (document.activeElement !== document.body) return;
  const place = to instanceof HTMLElement && to.isConnected ? to : document.getElementById(MAIN);
  place?.focus();
}

/** Moves the keyboard to the page when what was used is gone, as a row is whose button has deleted it. */
export function useKeyboardAfter(wasUsed: boolean): void {
  useEffect(() => {
    if (!wasUsed) return undefined;
    return () => void setTimeout(returnKeyboard, 0);
  }, [wasUsed]);
}
