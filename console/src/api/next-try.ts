import { REFRESH_MS } from './refresh.js';

/** Waits before something is asked again that no query asks. Hidden pages ask for nothing, so it then waits for the user. */
export async function untilNextTry(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  await untilVisible();
}

function untilVisible(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === 'hidden') return;
      window.removeEventListener('visibilitychange', look);
      resolve();
    };
    window.addEventListener('visibilitychange', look);
    look();
  });
}
