import type { CompletionBody } from '../gateway/calls.js';
import type { Answer, Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { tinyModel } from '../support/models/tiny-model.js';

export const MODELS = '/api/public/models';
const SESSIONS = '/api/public/files/session';
/** Child processes load models in this time, on a machine that has other work as well. */
export const PATIENCE_MS = 25_000;

export interface DockJob {
  _id: string;
  dockStatusId: string;
  modelId: string;
  action: string;
  status: 'IN_PROGRESS' | 'SUCCESS' | 'FAILED';
  percentageComplete: number;
  error?: { code: string; message: string };
  response?: { downloadUrl?: string };
}

export interface ModelAnswer {
  modelId: string;
  name: string;
  kind: string;
  state: string;
  facts?: Record<string, unknown>;
  error?: { code: string; message: string };
  deployments: number;
  deployment?: { version: number; state: string; host?: string; baseModelId?: string };
}

export interface ModelUpload {
  content?: Uint8Array<ArrayBuffer>;
  fileContext?: string;
  fileName?: string;
  fileExtension?: string;
  isAdapter?: boolean;
  chunks?: number;
}

/** Uploads a file in chunks, and returns the answers to the start and the completion of the upload. */
export async function uploadModel(api: Client, upload: ModelUpload = {}) {
  const {
    content = tinyModel(),
    fileContext = 'model',
    fileName = 'tiny',
    fileExtension = 'gguf',
    chunks = 1,
  } = upload;
  const started = await api.post<{ sessionId: string; modelId: string }>(`${SESSIONS}/start`, {
    fileContext,
    fileName,
    fileExtension,
    fileSize: content.length,
    totalChunks: chunks,
    ...(upload.isAdapter !== undefined && { isAdapter: upload.isAdapter }),
  });
  if (started.status !== 201) throw new Error(`The start of an upload answered ${started.status}: ${started.text}`);
  const { sessionId } = started.body;
  const size = Math.ceil(content.length / chunks);
  for (let at = 0; at < chunks; at += 1) {
    const form = { chunkNumber: String(at), file: new File([content.subarray(at * size, (at + 1) * size)], 'blob') };
    const sent = await api.send('POST', `${SESSIONS}/${sessionId}`, { form });
    if (sent.status !== 200) throw new Error(`Chunk ${at} was answered ${sent.status}: ${sent.text}`);
  }
  const completed = await api.post<DockJob>(`${SESSIONS}/${sessionId}/complete`);
  if (completed.status !== 200) throw new Error(`Completing was answered ${completed.status}: ${completed.text}`);
  return { started: started.body, completed: completed.body };
}

/** Waits until a dock job has ended, and returns it. */
export async function ended(
  api: Client,
  { dockStatusId }: { dockStatusId: string },
  patienceMs = PATIENCE_MS,
): Promise<DockJob> {
  const { body } = await eventually(
    () => api.get<DockJob>(`/api/public/dock-status/${dockStatusId}`),
    ({ body: { status } }) => status !== 'IN_PROGRESS',
    patienceMs,
  );
  return body;
}

/** Imports a model, and returns its id. */
export async function importModel(api: Client, upload: ModelUpload = {}): Promise<string> {
  const job = await importOf(api, upload);
  if (job.status !== 'SUCCESS') throw new Error(`The import failed: ${JSON.stringify(job.error)}`);
  return job.modelId;
}

export async function importOf(api: Client, upload: ModelUpload = {}, patienceMs = PATIENCE_MS): Promise<DockJob> {
  return ended(api, (await uploadModel(api, upload)).completed, patienceMs);
}

/** Imports a file, and returns what the import found out. */
export async function importedFacts(api: Client, upload: ModelUpload) {
  const job = await importOf(api, upload);
  expect(job).toMatchObject({ status: 'SUCCESS', percentageComplete: 100 });
  const { kind, facts, state } = await read(api, job.modelId);
  expect(state).toBe('READY_TO_DEPLOY');
  return { kind, ...facts };
}

/** Imports a file that is refused, and returns the code that the dock job and the model have. */
export async function importFault(api: Client, upload: ModelUpload): Promise<string> {
  const job = await importOf(api, upload);
  const model = await read(api, job.modelId);
  expect([job.status, model.state, model.error]).toEqual(['FAILED', 'FAILED', job.error]);
  expect(job.error!.message).not.toMatch(/\/tmp|node_modules/);
  return job.error!.code;
}

export const HYPER = { temperature: 0, maxTokens: 64, topP: 1, topK: 40 };
export const DEPLOYMENT = { name: 'tiny-live', hyperParameters: HYPER, deviceType: 'g4dn.xlarge' };

export function deploy(api: Client, modelId: string, parameters: object = {}, modelType = 'openSource') {
  return api.post<DockJob>(`${MODELS}/${modelId}/deploy`, { ...DEPLOYMENT, ...parameters }, { query: { modelType } });
}

export async function deployed(api: Client, modelId: string, parameters: object = {}, modelType = 'openSource') {
  const { body, status, text } = await deploy(api, modelId, parameters, modelType);
  if (status !== 200) throw new Error(`The deployment answered ${status}: ${text}`);
  const job = await ended(api, body);
  if (job.status !== 'SUCCESS') throw new Error(`The deployment failed: ${JSON.stringify(job.error)}`);
  return modelId;
}

/** Imports and deploys a model, and returns its id. */
export async function liveModel(api: Client, parameters: object = {}): Promise<string> {
  return deployed(api, await importModel(api), parameters);
}

export function undeploy(api: Client, modelId: string): Promise<Answer<DockJob>> {
  return api.post<DockJob>(`${MODELS}/${modelId}/undeploy`);
}

export async function read(api: Client, modelId: string): Promise<ModelAnswer> {
  return (await api.get<ModelAnswer>(`${MODELS}/${modelId}`)).body;
}

/** Returns the text of an answer. */
export const textOf = ({ body }: Answer<CompletionBody>) => body.choices[0]?.message.content;
