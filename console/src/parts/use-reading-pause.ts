import { useEffect, useState } from 'react';

/** Longer than the time between the two clicks of a double-click. */
const PAUSE_MS = 500;

/** Whether a question has been shown for long enough that it may be confirmed. A double-click must not do so. */
export function useReadingPause(isAsking: boolean): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isAsking) return undefined;
    const timer = setTimeout(() => setOver(true), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      setOver(false);
    };
  }, [isAsking]);
  return isOver;
}
