import { api, bodyOf, multipart, type Schemas } from '../../api/client.js';
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

/** Uploads the documents and imports them. If the import is refused, they are deleted again, so that none is left. */
export async function importDocuments(app: AppContext, { toolId, toolName, tool, flow, env, options }: Import) {
  const ids = new Map<File, string>();
  try {
    for (const file of new Set([tool, flow, env])) if (file) ids.set(file, await sendDocument(app, file));
    const body = {
      toolDataFileId: ids.get(tool)!,
      flowDataFileId: ids.get(flow)!,
      ...(env && { envVariablesFileId: ids.get(env)! }),
      ...options,
    };
    return await (toolId === undefined
      ? app.asApp.POST('/api/public/tools/import', { body: { ...body, toolName: toolName.trim() } })
      : app.asApp.POST('/api/public/tools/{toolId}/import', { params: { path: { toolId } }, body }));
  } catch (error) {
    // The user learns why the import was refused, also if a document stays.
    await Promise.allSettled([...ids.values()].map((fileId) => deleteDocument(app, fileId)));
    throw error;
  }
}

async function sendDocument({ asApp }: AppContext, file: File): Promise<string> {
  const form = multipart<Schemas['UploadFileInput']>({ fileContext: 'tool', file });
  return (await bodyOf(asApp.POST('/api/public/files', form))).fileId;
}

async function deleteDocument({ projectId }: AppContext, fileId: string): Promise<void> {
  await api.DELETE('/api/admin/v1/projects/{projectId}/files/{fileId}', { params: { path: { projectId, fileId } } });
}
