/** A text of a form that should be JSON, and is none. */
class NotJson extends Error {
  override name = 'NOT_JSON';
}

/** Reads a text that the user wrote as JSON. The label names the field in the refusal. */
export function readJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NotJson(`${label} is not JSON. ${(error as Error).message}.`);
  }
}
