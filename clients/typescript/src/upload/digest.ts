/** Returns the header with which the service checks the bytes, where the runtime can compute it. */
export async function digestOf(chunk: Blob): Promise<string | undefined> {
  // Browsers have no cryptography on pages without TLS.
  const { subtle } = crypto as { subtle?: typeof crypto.subtle };
  if (!subtle) return undefined;
  const digest = new Uint8Array(await subtle.digest('SHA-256', await chunk.arrayBuffer()));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
