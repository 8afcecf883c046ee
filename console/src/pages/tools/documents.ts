import { api, ApiError, bodyOf, multipart, type Schemas } from '../../api/client.js';
import type { AppContext } from '../../app/app-context.js';

/** The documents from which a tool, or a version of one, is imported. */
export interface Import {
  /** The tool of which a version is imported. Without it, the import makes a tool of its own. */
  toolId: string | undefined;
  toolName: string;
  /** One file may be several of the documents. */
  tool: File;
  flow: File;
  env?: File | null | undefined;
  options?: { operations?: string[]; serverUrl?: string };
}

/** The ids of documents that were uploaded for an import whose outcome is open. */
const uploaded = new WeakMap<File, string>();

/**
 * Uploads the documents and imports them. If the import is refused, they are deleted again, so that none is left. If its
 * answer was lost, the repeat names the same documents, and so imports nothing twice.
 */
export async function importDocuments(app: AppContext, { toolId, toolName, tool, flow, env, options }: Import) {
  const documents = [...new Set([tool, flow, env])].filter((file): file is File => file instanceof File);
  try {
    for (const file of documents) if (!uploaded.has(file)) uploaded.set(file, await sendDocument(app, file));
    const body = {
      toolDataFileId: uploaded.get(tool)!,
      flowDataFileId: uploaded.get(flow)!,
      ...(env && { envVariablesFileId: uploaded.get(env)! }),
      ...options,
    };
    const started = await (toolId === undefined
      ? app.asApp.POST('/api/public/tools/import', { body: { ...body, toolName: toolName.trim() } })
      : app.asApp.POST('/api/public/tools/{toolId}/import', { params: { path: { toolId } }, body }));
    for (const file of documents) uploaded.delete(file);
    return started;
  } catch (error) {
    if (!(error instanceof ApiError && error.isOpen)) await deleteDocuments(app, documents);
    throw error;
  }
}

/** A document that cannot be deleted stays, because the user has to learn why the import was refused. */
async function deleteDocuments(app: AppContext, documents: readonly File[]): Promise<void> {
  const ids = documents.map((file) => uploaded.get(file)).filter((id): id is string => id !== undefined);
  for (const file of documents) uploaded.delete(file);
  await Promise.allSettled(ids.map((fileId) => deleteDocument(app, fileId)));
}

async function sendDocument({ asApp }: AppContext, file: File): Promise<string> {
  const form = multipart<Schemas['UploadFileInput']>({ fileContext: 'tool', file });
  return (await bodyOf(asApp.POST('/api/public/files', form))).fileId;
}

async function deleteDocument({ projectId }: AppContext, fileId: string): Promise<void> {
  await api.DELETE('/api/admin/v1/projects/{projectId}/files/{fileId}', { params: { path: { projectId, fileId } } });
}
