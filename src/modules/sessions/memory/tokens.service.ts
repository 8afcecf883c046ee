const BYTES_PER_TOKEN = 3;

/**
 * How many tokens a text takes, without knowing the model: rather too many than too few. A token of common models is
 * about four bytes of English, and rarely less than three of any other text.
 */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** What large models count for an image of the usual size. */
const TOKENS_OF_AN_IMAGE = 1_600;
/** Of sound, of pictures that move, and of documents that have to be opened first. */
const BYTES_PER_TOKEN_OF_OTHERS = 100;

/** Without reading it: an image as images are counted, text by its length, anything else by a hundredth of its bytes. */
export function tokensInFile(mediaType: string, bytes: number): number {
  if (mediaType.startsWith('image/')) return TOKENS_OF_AN_IMAGE;
  if (isText(mediaType)) return Math.ceil(bytes / BYTES_PER_TOKEN);
  return Math.ceil(bytes / BYTES_PER_TOKEN_OF_OTHERS);
}

/** Whether the content can be said to a model as text. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(json|x-ndjson)\b/.test(mediaType);
}
