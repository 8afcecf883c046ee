import { createQuerySerializer } from 'openapi-fetch';
import { CopyText } from './copy-text.js';

const queryText = createQuerySerializer();

/** Keys and tokens are variables, because the browser has none. */
const HEADERS = {
  administration: 'x-api-key: $SLIPWAY_ADMIN_KEY',
  key: 'x-api-key: $SLIPWAY_API_KEY',
  hook: 'token: $SLIPWAY_HOOK_TOKEN',
};

export interface CurlRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** The filters of the page. A list is a member for each of its values. */
  query?: Readonly<Record<string, unknown>>;
  /** The kind of key or token that the route needs. */
  access: keyof typeof HEADERS;
  body?: unknown;
  /** The parts of a form, as cURL takes them. */
  form?: Record<string, string>;
}

/** Writes a request as a shell command. */
export function curlOf({ method = 'GET', path, query, access, body, form = {} }: CurlRequest): string {
  const search = query && queryText(query);
  const parts = [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `-H "${HEADERS[access]}"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`]),
    ...Object.entries(form).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
    quoted(location.origin + path + (search ? `?${search}` : '')),
  ];
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface CopyCurlProps {
  request: CurlRequest;
  /** Is given if the button is not the only one of its page. */
  label?: string;
}

export function CopyCurl({ request, label = 'Copy as cURL' }: CopyCurlProps) {
  return <CopyText label={label} text={curlOf(request)} />;
}
