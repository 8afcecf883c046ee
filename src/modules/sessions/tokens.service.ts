const BYTES_PER_TOKEN = 3;

/**
 * How many tokens a text takes, without knowing the model: rather too many than too few. A token of common models is
 * about four bytes of English, and rarely less than three of any other text.
 */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
