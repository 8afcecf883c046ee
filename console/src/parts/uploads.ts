import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api, ApiError, bodyOf, dataOf, multipart, type Schemas } from '../api/client.js';
import { withSignal } from '../api/present-signal.js';
import { mayPass, queries } from '../api/queries.js';
import { readAll } from '../api/read-all.js';
import { REFRESH_MS } from '../api/refresh.js';
import type { AppContext } from '../app/app-context.js';

const SESSIONS = '/api/public/files/session';
const PAGE = 100;
const SESSION = `${SESSIONS}/{sessionId}` as const;
/** An upload that was interrupted is continued with chunks of the same size. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** An upload with one of these codes holds no space. */
const ENDED = ['UPLOAD_NOT_FOUND', 'UPLOAD_COMPLETED', 'UPLOAD_EXPIRED'];

const EXTENSION = /\.([^.]+)$/;
const NO_EXTENSION = 'The name of the file has no extension, such as .txt. Rename the file, and choose it again.';

export interface Purpose {
  fileContext: string;
  isAdapter?: boolean;
}

/** An upload that this tab sends, also while other pages are shown, or that has stopped. */
interface Sending {
  sessionId: string;
  controller: AbortController;
  isSending: boolean;
  /** Why the upload has stopped, or why its present chunk is sent again. */
  error: Error | null;
}

/** One upload of each app. */
const sendings = new Map<string, Sending>();
const listeners = new Set<() => void>();

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function note(appId: string, sending: Sending | undefined): void {
  if (sending) sendings.set(appId, sending);
  else sendings.delete(appId);
  for (const listener of listeners) listener();
}

/** Returns the upload to the app that this tab sends, or that has stopped in it. */
export function useSending({ appId }: AppContext): Sending | undefined {
  return useSyncExternalStore(subscribe, () => sendings.get(appId));
}

/** Holds when the file of an upload was last changed, so that chunks of two versions are not mixed after a reload. */
const changedAtOf = (sessionId: string) => `slipway-upload-${sessionId}`;

/** Whether the file can be that of the upload. An upload that another browser began does not know the time of its file. */
export function isFileOf(
  { sessionId, fileName, fileSize }: Pick<OpenUpload, 'sessionId' | 'fileName' | 'fileSize'>,
  file: File,
): boolean {
  const changedAt = localStorage.getItem(changedAtOf(sessionId)) ?? String(file.lastModified);
  return fileName === file.name && fileSize === file.size && changedAt === String(file.lastModified);
}

export function uploadOptions({ asApp }: AppContext, sessionId: string) {
  return queryOptions({
    queryKey: ['upload', sessionId],
    queryFn: () => bodyOf(asApp.GET(SESSION, { params: { path: { sessionId } } })),
  });
}

type OpenUpload = Schemas['OpenUpload'];

/** Reads the uploads of the project that are not complete, the newest first. */
export function readOpenUploads({ asApp }: AppContext): Promise<OpenUpload[]> {
  return readAll(async (next = '0') => {
    const offset = Number(next);
    const { uploads } = await bodyOf(asApp.GET(SESSIONS, { params: { query: { limit: PAGE, offset } } }));
    return { rows: uploads, next: uploads.length < PAGE ? null : String(offset + PAGE) };
  });
}

/** The console continues only uploads with chunks of the size that it sends. */
export function isContinuable({ totalChunks, fileSize }: OpenUpload): boolean {
  return totalChunks === numbersOf({ size: fileSize }).length;
}

/** Returns the id of the open upload of the file that this browser began for the same purpose, or of a new one. */
export async function beginUpload(app: AppContext, file: File, purpose: Purpose): Promise<string> {
  const open = await readOpenUploads(app);
  for (const upload of open.filter((each) => isContinuable(each) && wasBegunWith(each, file)))
    if (await hasPurpose(app, upload, purpose)) return upload.sessionId;
  return startUpload(app, file, purpose);
}

/** An upload of another browser may be of another file with the same name and size. */
function wasBegunWith(upload: OpenUpload, file: File): boolean {
  return localStorage.getItem(changedAtOf(upload.sessionId)) !== null && isFileOf(upload, file);
}

async function hasPurpose(
  { projectId }: AppContext,
  { fileContext, modelId }: OpenUpload,
  { fileContext: asked, isAdapter = false }: Purpose,
): Promise<boolean> {
  if (fileContext !== asked || modelId === undefined) return fileContext === asked;
  const params = { path: { projectId, modelId } };
  const { kind } = await dataOf(api.GET('/api/admin/v1/projects/{projectId}/models/{modelId}', { params }));
  return (kind === 'adapter') === isAdapter;
}

async function startUpload({ asApp }: AppContext, file: File, purpose: Purpose): Promise<string> {
  const [, fileExtension] = EXTENSION.exec(file.name) ?? [];
  if (fileExtension === undefined) throw new ApiError(0, 'NO_EXTENSION', NO_EXTENSION, null);
  const body = {
    ...purpose,
    fileName: file.name,
    fileExtension,
    fileSize: file.size,
    totalChunks: numbersOf(file).length,
  };
  const { sessionId } = await bodyOf(asApp.POST(`${SESSIONS}/start`, { body }));
  localStorage.setItem(changedAtOf(sessionId), String(file.lastModified));
  return sessionId;
}

/** Sends the chunks with the numbers, and completes the upload. Returns null if the upload has stopped before. */
export async function sendFile(app: AppContext, sessionId: string, file: File, numbers: readonly number[]) {
  const controller = new AbortController();
  const { signal } = controller;
  const sending: Sending = { sessionId, controller, isSending: true, error: null };
  note(app.appId, sending);
  // Leaving the console ends the upload, so the browser asks first.
  window.addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
  try {
    for (const number of numbers) {
      await sendAgainWhilePassing(() => sendChunk(app, sessionId, file, number, signal), sending, app.appId);
      await queries.invalidateQueries({ queryKey: ['upload', sessionId] });
    }
    const params = { path: { sessionId } };
    const done = await bodyOf(app.asApp.POST(`${SESSION}/complete`, { params, signal }));
    note(app.appId, undefined);
    localStorage.removeItem(changedAtOf(sessionId));
    void queries.invalidateQueries();
    return done;
  } catch (error) {
    if (!signal.aborted) note(app.appId, { ...sending, isSending: false, error: error as Error });
    return null;
  } finally {
    controller.abort();
  }
}

/** Stops an upload, and frees its space. */
export async function discardUpload({ appId, asApp }: AppContext, sessionId: string): Promise<void> {
  const sending = sendings.get(appId);
  const isSent = sending?.sessionId === sessionId;
  if (isSent) {
    sending.controller.abort();
    note(appId, { ...sending, isSending: false });
  }
  try {
    await asApp.DELETE(SESSION, { params: { path: { sessionId } } });
  } catch (error) {
    if (!(error instanceof ApiError && ENDED.includes(error.code))) throw error;
  }
  localStorage.removeItem(changedAtOf(sessionId));
  if (isSent) note(appId, undefined);
}

function numbersOf({ size }: Pick<File, 'size'>): number[] {
  return Array.from({ length: Math.ceil(size / CHUNK_BYTES) }, (_, number) => number);
}

/** Sends a chunk again after a pause if the reason against it may pass, such as a service that is away. */
async function sendAgainWhilePassing(send: () => Promise<void>, sending: Sending, appId: string): Promise<void> {
  const { signal } = sending.controller;
  for (;;) {
    try {
      await withSignal(signal, send);
      if (sendings.get(appId)?.error) note(appId, sending);
      return;
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      note(appId, { ...sending, error: error as Error });
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
      signal.throwIfAborted();
    }
  }
}

async function sendChunk(
  { asApp }: AppContext,
  sessionId: string,
  file: File,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  const chunk = new File([file.slice(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES)], file.name);
  const form = multipart<Schemas['UploadChunkInput']>({ chunkNumber: String(number), file: chunk });
  await asApp.POST(SESSION, { params: { path: { sessionId } }, ...form, signal });
}
