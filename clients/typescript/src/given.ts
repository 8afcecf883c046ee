import { SlipwayError } from './errors.js';

const SCHEMES = ['http:', 'https:'];

/** Returns the address of a service without slashes at its end, or refuses it. */
export function addressIn(given: string): string {
  const { protocol = '', username, password } = URL.canParse(given) ? new URL(given) : {};
  if (!SCHEMES.includes(protocol)) {
    throw new SlipwayError('ADDRESS_MALFORMED', `"${given}" is not an address such as http://127.0.0.1:3000.`);
  }
  if (username || password) {
    throw new SlipwayError('ADDRESS_MALFORMED', 'The address has a user name or a password. Give it without them.');
  }
  return given.replace(/\/+$/, '');
}

/**
 * Returns a key or a token without the space around it. A runtime that refuses it as a header would show it in its
 * error, so it is refused here.
 */
export function secretIn<Given extends string | undefined>(given: Given, what: string): Given {
  const secret = given?.trim();
  if (secret === undefined || /^[!-~]*$/.test(secret)) return secret as Given;
  const message = `${what} has a character that none can have, such as a line break, a space or an accent.`;
  throw new SlipwayError('KEY_MALFORMED', `${message} Copy it again.`);
}
