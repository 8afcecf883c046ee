import { useEffect } from 'react';

/** The id of the part of the window that shows the page. */
export const MAIN = 'main';

/** Whether no control has the keyboard. */
export function isKeyboardFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.id === MAIN;
}

/** Moves the keyboard to the element, or to the page if that is gone. It stays where the user has moved it meanwhile. */
export function returnKeyboard(to: Element | null): void {
  if (!isKeyboardFree()) return;
  const isThere = to instanceof HTMLElement && to.isConnected && to !== document.body;
  (isThere ? to : document.getElementById(MAIN))?.focus({ preventScroll: !isThere });
}

/** Moves the keyboard to the page when the control that had it is gone, as the button of a deleted row is. */
export function useKeyboardKept(): void {
  useEffect(() => {
    let last: Element | null = null;
    const note = ({ target }: FocusEvent) => (last = target as Element);
    const keep = () => {
      if (last === null || last.isConnected) return;
      last = null;
      returnKeyboard(null);
    };
    const changes = new MutationObserver(keep);
    document.addEventListener('focusin', note);
    changes.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', note);
      changes.disconnect();
    };
  }, []);
}
