/**
 * Returns a function that calls `make` at its first call and keeps what it returns. If `make` throws, or rejects later,
 * the next call makes it again.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    if (made) return made.value;
    const value = make();
    made = { value };
    if (value instanceof Promise) value.catch(() => (made = undefined));
    return value;
  };
}
