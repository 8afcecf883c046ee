import { type RefObject, useEffect, useRef, useState } from 'react';

/** Puts the keyboard on the first field of a form that opens, and back on what opened it when the form is gone. */
export function useFirstField(): RefObject<HTMLDivElement | null> {
  const form = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      // Nothing takes the keyboard from what opens in place of the form, or from where the user has gone meanwhile.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, [opener]);
  return form;
}
