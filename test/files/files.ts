import { type Answer, Client } from '../support/client.js';
import type { TestDatabase } from '../support/test-database.js';

export const FILES = '/api/public/files';

export interface FileLink {
  url: string;
  fileId: string;
}

interface SingleUpload {
  name?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  fileContext?: string;
  headers?: Record<string, string>;
}

export function upload(api: Client, sent: SingleUpload = {}): Promise<Answer<FileLink>> {
  const { name = 'hello.txt', content = 'Hello, file', fileContext = 'bulkImport', headers = {} } = sent;
  return api.send('POST', FILES, { form: { fileContext, file: new File([content], name) }, headers });
}

/** Opens a link without a key. */
export async function open(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Opens a link that is refused, and returns the answer. */
export function openRefused(
  target: { url: string },
  link: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { pathname, search } = new URL(link);
  return new Client(target.url).get(pathname + search, { headers });
}

export const SESSIONS = `${FILES}/session`;

export interface Started {
  sessionId: string;
  expirationDate: string;
  modelId?: string;
}

export interface Progress {
  status: string;
  receivedBytes: number;
  receivedChunks: number[];
  missingChunks: number[];
  fileId?: string;
}

/** Members of the body, which may be invalid. */
type StartMembers = Record<string, unknown>;

export function startUpload(api: Client, members: StartMembers = {}): Promise<Answer<Started>> {
  const standard = { fileContext: 'bulkImport', fileName: 'parts', fileExtension: 'txt', fileSize: 6, totalChunks: 3 };
  return api.post(`${SESSIONS}/start`, { ...standard, ...members });
}

export async function startedUpload(api: Client, members: StartMembers = {}): Promise<string> {
  const { status, body, text } = await startUpload(api, members);
  if (status !== 201) throw new Error(`The start of an upload answered ${status}: ${text}`);
  return body.sessionId;
}

type Content = string | Uint8Array<ArrayBuffer>;

export function sendChunk(
  api: Client,
  sessionId: string,
  chunkNumber: number | string,
  content: Content,
  headers: Record<string, string> = {},
): Promise<Answer<{ chunkNumber: number; sessionId: string }>> {
  const form = { chunkNumber: String(chunkNumber), file: new File([content], 'blob') };
  return api.send('POST', `${SESSIONS}/${sessionId}`, { form, headers });
}

export async function sendChunks(api: Client, sessionId: string, contents: Record<number, Content>): Promise<void> {
  for (const [number, content] of Object.entries(contents)) {
    const { outcome, text } = await sendChunk(api, sessionId, number, content);
    if (outcome !== '200') throw new Error(`Chunk ${number} was answered ${outcome}: ${text}`);
  }
}

export function complete(api: Client, sessionId: string): Promise<Answer<FileLink>> {
  return api.post(`${SESSIONS}/${sessionId}/complete`);
}

export function progressOf(api: Client, sessionId: string): Promise<Answer<Progress>> {
  return api.get(`${SESSIONS}/${sessionId}`);
}

export function abandon(api: Client, sessionId: string): Promise<Answer> {
  return api.delete(`${SESSIONS}/${sessionId}`);
}

/** Returns the bytes that the files and uploads of a project reserve. */
export async function reservedBytes(database: TestDatabase, { projectId }: { projectId: string }): Promise<number> {
  const sql = 'select bytes from project_storage where project_id = $1';
  const [row] = await database.rows<{ bytes: string }>(sql, [projectId]);
  return Number(row?.bytes ?? 0);
}
