import { storableText } from '../../../kernel/storable-text.js';

/** How long an answer may go on once its status is there. */
const PATIENCE_MS = 2_000;
const KEPT_CHARACTERS = 1_024;

/** The beginning of an answer, for people to read. Whatever goes wrong with the rest changes nothing. */
export async function firstBytes(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (!reader) return null;
  const decoder = new TextDecoder();
  let text = '';
  const late = setTimeout(() => void reader.cancel().catch(() => undefined), PATIENCE_MS);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (text.length < KEPT_CHARACTERS) text += decoder.decode(part.value as Uint8Array, { stream: true });
    }
  } catch {
    // Cut by the receiver, too long, or too slow: what was read stands.
  } finally {
    clearTimeout(late);
  }
  return storableText(text.slice(0, KEPT_CHARACTERS)) || null;
}
