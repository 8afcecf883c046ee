/** The interval in which visible pages read again what they show. Hidden pages do not. */
export const REFRESH_MS = 5_000;

/** The interval for what moves while the user waits for it. */
export const REFRESH_PROGRESS_MS = 1_000;

/** The interval for answers that cost the service more than others. */
export const REFRESH_SELDOM_MS = 60_000;

/** A page that opens does not ask again for what was asked for on its behalf less than this before. */
export const FRESH_MS = 1_000;
