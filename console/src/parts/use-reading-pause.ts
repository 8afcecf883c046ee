import { useLasting } from './use-lasting.js';

/** Longer than the time between the two clicks of a double-click. */
const PAUSE_MS = 500;

/** Whether a question has been shown for long enough that it may be confirmed. A double-click must not do so. */
export const useReadingPause = (isAsking: boolean): boolean => useLasting(isAsking, PAUSE_MS);
