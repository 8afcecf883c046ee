const HIDDEN = '********';
const SHOWN_FROM_LENGTH = 16;

/** Masks a secret for people: enough remains to tell one from another, and nothing of a short one. */
export function maskSecret(secret: string): string {
  if (secret.length < SHOWN_FROM_LENGTH) return HIDDEN;
  return `${secret.slice(0, 2)}${HIDDEN}${secret.slice(-4)}`.toWellFormed();
}
