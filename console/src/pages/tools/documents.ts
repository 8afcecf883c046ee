import { api, bodyOf } from '../../api/client.js';
import type { AppContext } from '../../app/app-context.js';

/** Uploads a document of a tool, and returns the id of its file. */
export async function sendDocument({ asApp }: AppContext, file: File): Promise<string> {
  const form = new FormData();
  form.set('fileContext', 'tool');
  form.set('file', file);
  const body = form as never;
  return (await bodyOf(asApp.POST('/api/public/files', { body, bodySerializer: () => form }))).fileId;
}

export async function discardDocument({ projectId }: AppContext, fileId: string): Promise<void> {
  await api.DELETE('/api/admin/v1/projects/{projectId}/files/{fileId}', { params: { path: { projectId, fileId } } });
}
