/** Waits for work no longer than this, and then fails with the reason. The work itself goes on. */
export async function withinTime<T>(milliseconds: number, work: Promise<T>, tooLong: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLong()), milliseconds);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
