/** Frees the connection of an answer that is not read, or not read to its end. */
export async function discard(response: Response): Promise<void> {
  if (response.body && !response.body.locked) await response.body.cancel().catch(() => undefined);
}
