import { createHash } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import type { TestDatabase } from '../support/test-database.js';
import { type FileLink, FILES, open } from './files.js';

export const TUS_ROUTE = `${FILES}/tus`;
export const TUS = { 'tus-resumable': '1.0.0' };
export const OFFSET_STREAM = 'application/offset+octet-stream';

type Values = Record<string, string>;

export function metadata(pairs: Values): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

/** The headers of a creation. */
export function creation(
  length: number | string = 6,
  pairs: Values = { filename: 'whole.txt' },
  more: Values = {},
): Values {
  return { ...TUS, 'upload-length': String(length), 'upload-metadata': metadata(pairs), ...more };
}

/** The headers of a request with bytes. */
export function continuation(offset: number | string, more: Values = {}): Values {
  return { ...TUS, 'content-type': OFFSET_STREAM, 'upload-offset': String(offset), ...more };
}

export function checksum(content: string | Uint8Array, algorithm = 'sha256'): Values {
  return { 'upload-checksum': `${algorithm} ${createHash(algorithm).update(content).digest('base64')}` };
}

export function createTus(api: Client, headers: Values = creation()): Promise<Answer> {
  return api.send('POST', TUS_ROUTE, { headers });
}

/** Creates an upload of six bytes with the first of them. */
export function createdWith(api: Client, rawBody: string, more: Values = {}): Promise<Answer> {
  return api.send('POST', TUS_ROUTE, { headers: { ...creation(), 'content-type': OFFSET_STREAM, ...more }, rawBody });
}

/** Creates an upload and returns its address. */
export async function createdTus(api: Client, length = 6, pairs?: Values): Promise<string> {
  const { status, headers, text } = await createTus(api, creation(length, pairs));
  if (status !== 201) throw new Error(`The creation of an upload answered ${status}: ${text}`);
  return headers.get('location')!;
}

export function idOf(address: string): string {
  return address.split('/').at(-1)!;
}

export function head(api: Client, address: string, headers: Values = TUS): Promise<Answer> {
  return api.send('HEAD', address, { headers });
}

export async function offsetOf(api: Client, address: string): Promise<number> {
  const { outcome, headers } = await head(api, address);
  if (outcome !== '200') throw new Error(`HEAD answered ${outcome}`);
  return Number(headers.get('upload-offset'));
}

export function patch(
  api: Client,
  address: string,
  offset: number | string,
  rawBody: string | Uint8Array<ArrayBuffer>,
  more: Values = {},
): Promise<Answer> {
  return api.send('PATCH', address, { headers: continuation(offset, more), rawBody });
}

export function terminate(api: Client, address: string, headers: Values = TUS): Promise<Answer> {
  return api.send('DELETE', address, { headers });
}

/** Returns the content of the file that an answer names. */
export async function contentOf(api: Client, { headers }: Pick<Answer, 'headers'>): Promise<string> {
  const { body } = await api.get<FileLink>(`${FILES}/${headers.get('slipway-file-id')}`);
  return (await open(body.url)).bytes.toString();
}

/** Returns the sizes of the parts in which an upload has arrived. */
export async function partSizesOf(database: TestDatabase, address: string): Promise<number[]> {
  const rows = await database.rows<{ size: string }>(
    'select size from file_part where content_id = $1 order by number',
    [idOf(address)],
  );
  return rows.map(({ size }) => Number(size));
}
