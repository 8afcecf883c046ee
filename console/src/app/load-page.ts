import { REFRESH_MS } from '../api/refresh.js';

/**
 * Loads the code of a page, when the service is back if it is away. The router would reload the address at once, and the
 * browser would then show a page of its own. If the code is missing although the service answers, there is a new release,
 * and reloading is right.
 */
export async function loadPage<Page>(load: () => Promise<Page>): Promise<Page> {
  for (let isAnswering = false; ;) {
    try {
      return await load();
    } catch (error) {
      if (isAnswering) throw error;
      isAnswering = await answers();
      if (!isAnswering) await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    }
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch('/health/live')).ok;
  } catch {
    return false;
  }
}
