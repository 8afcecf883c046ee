const MOST_OF_A_USER_AGENT = 500;

/** Returns the name of a browser as lists of sessions show it. */
export function shownUserAgent(header: string | undefined): string {
  return (header ?? '').slice(0, MOST_OF_A_USER_AGENT);
}
