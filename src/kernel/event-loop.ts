import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Waits until this process has read all that had arrived on its connections by now. The first turn of the event loop
 * handles what was read already, and the second reads what has arrived since, which can be much after a suspension.
 */
export async function allThatHasArrived(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
