import { untilNextTry } from '../api/next-try.js';

/** The pages that load now. Each link to a page that is pointed at asks for its code. */
const loading = new Map<unknown, Promise<unknown>>();

/**
 * Loads the code of a page, when the service is back if it is away. The router would reload the address at once, and the
 * browser would then show a page of its own. If the code is missing although the service answers, there is a new release,
 * and reloading is right.
 */
export function loadPage<Page>(load: () => Promise<Page>): Promise<Page> {
  const known = loading.get(load) as Promise<Page> | undefined;
  if (known) return known;
  const begun = untilLoaded(load).finally(() => loading.delete(load));
  loading.set(load, begun);
  return begun;
}

async function untilLoaded<Page>(load: () => Promise<Page>): Promise<Page> {
  for (let isAnswering = false; ;) {
    try {
      return await load();
    } catch (error) {
      if (isAnswering) throw error;
      isAnswering = await answers();
      if (!isAnswering) await untilNextTry();
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
