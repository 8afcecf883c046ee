import { useEffect, useState } from 'react';

/** Whether something has been true for this time without a break. */
export function useLasting(isTrue: boolean, milliseconds: number): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!isTrue) return undefined;
    const timer = setTimeout(() => setLasting(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLasting(false);
    };
  }, [isTrue, milliseconds]);
  return isLasting;
}
