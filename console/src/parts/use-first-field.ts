import { type RefObject, useEffect, useRef, useState } from 'react';
import { isKeyboardFree } from './keyboard.js';

/**
 * Puts the keyboard on the first field of a form that opens. When the form is gone, it goes back to what opened the form,
 * or to the button of the page if that is gone too.
 */
export function useFirstField(): RefObject<HTMLDivElement | null> {
  const form = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      // Nothing takes the keyboard from what opens in place of the form, or from where the user has gone meanwhile.
      if (!isKeyboardFree()) return;
      // A form that follows another one was opened by a button that is gone, or while nothing had the keyboard.
      const isThere = opener?.isConnected && opener !== document.body;
      const back = isThere ? opener : document.querySelector('[data-opens-form]');
      if (back instanceof HTMLElement) back.focus();
    };
  }, [opener]);
  return form;
}
