import { CopyText } from './copy-text.js';

export interface CurlRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** The filters of the page. */
  query?: Record<string, string>;
  /** The kind of key that the route needs. */
  access: 'administration' | 'key';
  body?: unknown;
  /** The parts of a form, as cURL takes them. */
  form?: Record<string, string>;
}

/** Writes a request as a shell command. Keys are variables, because the browser has none. */
export function curlOf({ method = 'GET', path, query, access, body, form = {} }: CurlRequest): string {
  const key = access === 'administration' ? '$SLIPWAY_ADMIN_KEY' : '$SLIPWAY_API_KEY';
  const search = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  const parts = [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `-H "x-api-key: ${key}"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`]),
    ...Object.entries(form).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
    quoted(location.origin + path + search),
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
