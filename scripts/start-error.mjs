/** A fault that the reader can correct. Its message is shown alone, without a stack. */
export class StartError extends Error {}

/** @param {unknown} fault */
export function explain(fault) {
  if (fault instanceof StartError) return fault.message;
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}
