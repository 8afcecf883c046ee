import { z } from 'zod';
import { HEADER_NAME, MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import { refuseBadTemplates, retry, template, templates, whole } from './members.schema.js';

const mediaType = z.string().max(255).regex(MEDIA_TYPE, 'is not a media type, such as text/plain');

const Multipart = z
  .strictObject({
    fields: templates.describe(
      'An object of the fields. Texts, numbers and booleans are sent as text, objects as JSON, and lists as a field for each item. Null is left out.',
    ),
    files: z
      .array(z.string().min(1).max(256))
      .max(50)
      .optional()
      .describe(
        'The names of the fields that are files. Each is an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`.',
      ),
    types: z
      .record(z.string().min(1).max(256), mediaType)
      .optional()
      .describe('The media types of fields. A field whose media type is that of JSON is sent as JSON.'),
  })
  .describe('A form of multipart/form-data as the body. The limit is 16 MiB.');

const OAuth = z
  .strictObject({
    credentials: template.describe(
      '`client_id:client_secret`, from a secret variable. A text without a colon is an access token, and sent as it is.',
    ),
    tokenUrl: template.optional().describe('The address of the token endpoint.'),
    openIdConnectUrl: template.optional().describe('The address of the discovery document, which names the endpoint.'),
    scope: z.string().max(2_000).optional().describe('The scopes to ask for, with spaces between them.'),
  })
  .refine(({ tokenUrl, openIdConnectUrl }) => (tokenUrl === undefined) !== (openIdConnectUrl === undefined), {
    message: 'must have one of tokenUrl and openIdConnectUrl',
  })
  .describe(
    'Obtains an access token with client credentials, and sends it as `Authorization: Bearer`. It is kept until it expires.',
  );

const BODIES = ['body', 'multipart', 'file'] as const;

export const HttpNode = z
  .strictObject({
    url: template.describe('The address, which begins with http:// or https://. It is a template.'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
    headers: z.record(z.string().max(256).regex(HEADER_NAME, 'is not the name of a header'), template).optional(),
    query: z.record(z.string().min(1).max(256), template).optional(),
    body: templates
      .optional()
      .describe('The body of the request. A text is sent unchanged, and any other value as JSON.'),
    multipart: Multipart.optional(),
    file: templates
      .optional()
      .describe(
        'A file as the body: an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`.',
      ),
    oauth: OAuth.optional(),
    timeoutMs: whole(1, 300_000).default(30_000).describe('The timeout of each attempt in milliseconds.'),
    retry,
  })
  .superRefine(({ method, headers = {}, ...node }, context) => {
    const [first, second] = BODIES.filter((name) => node[name] !== undefined);
    const refuse = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (first && method === 'GET')
      refuse(first, 'has no effect with GET, which has no body; use query, or another method');
    if (second) refuse(second, `cannot be sent together with ${first}, because a request has one body`);
    if (node.oauth && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
      refuse('oauth', 'sends the header authorization, which `headers` has as well; take one of them out');
  })
  .superRefine(({ url, headers, query, body, multipart, file, oauth }, context) => {
    refuseBadTemplates({ url, headers, query, body, multipart, file, oauth }, context);
  });
export type HttpNode = z.infer<typeof HttpNode>;
