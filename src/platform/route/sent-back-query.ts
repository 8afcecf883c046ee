import { z } from 'zod';

const optionalText = (example: string) =>
  z
    .string()
    .max(8_192)
    .optional()
    .meta({ examples: [example] });

/**
 * The parameters with which identity providers send browsers back. Only `state`, `code`, `error` and `iss` are used. Clients
 * must ignore unrecognized parameters (RFC 6749, 4.1.2), so the object is not strict. It documents common ones.
 */
export const SentBackQuery = z.object({
  state: z
    .string()
    .min(1)
    .max(256)
    .meta({ examples: ['as the address had it'] }),
  code: optionalText('as the provider gave it'),
  error: optionalText('access_denied'),
  error_description: optionalText('The user said no'),
  error_uri: optionalText('https://login.example.com/errors/1'),
  iss: optionalText('https://login.example.com'),
  scope: optionalText('openid'),
  session_state: optionalText('1'),
  authuser: optionalText('0'),
  prompt: optionalText('consent'),
  hd: optionalText('example.com'),
});
export type SentBackQuery = z.output<typeof SentBackQuery>;
