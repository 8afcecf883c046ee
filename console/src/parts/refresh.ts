/** The interval in which visible pages read again what they show. Hidden pages do not. */
export const REFRESH_MS = 5_000;
