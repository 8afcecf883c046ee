import { useEffect, useRef } from 'react';
import { api, ApiError, bodyOf, multipart, type Schemas } from '../../api/client.js';
import { KEY_HEADER, newKey, REPEATED_WITHIN_MS } from '../../api/repeats.js';
import { type AppContext, useApp } from '../../app/app-context.js';

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

interface Uploaded {
  fileId: string;
  at: number;
}

/** The documents of imports whose outcome is open. */
const kept = new WeakMap<File, Uploaded>();

/**
 * Returns the function with which a form imports documents. When the form is left, the documents are deleted whose uploads
 * were not answered, because no import names them.
 */
export function useImport(): (wanted: Import) => ReturnType<typeof importDocuments> {
  const app = useApp();
  const sent = useRef(new Set<File>());
  useEffect(() => {
    const files = sent.current;
    return () => void deleteUnanswered(app, files);
  }, [app]);
  return (wanted) => {
    for (const file of filesOf(wanted)) sent.current.add(file);
    return importDocuments(app, wanted);
  };
}

function filesOf({ tool, flow, env }: Import): File[] {
  return [...new Set([tool, flow, env])].filter((file): file is File => file instanceof File);
}

/**
 * Uploads the documents and imports them. If the import is refused, they are deleted again, so that none is left. If its
 * answer was lost, the repeat names the same documents, and so imports nothing twice.
 */
async function importDocuments(app: AppContext, wanted: Import) {
  const { toolId, toolName, tool, flow, env, options } = wanted;
  const files = filesOf(wanted);
  const uploaded = await upload(app, files);
  const idOf = (file: File) => uploaded.get(file)!.fileId;
  const body = {
    toolDataFileId: idOf(tool),
    flowDataFileId: idOf(flow),
    ...(env && { envVariablesFileId: idOf(env) }),
    ...options,
  };
  for (const file of files) kept.delete(file);
  try {
    return await (toolId === undefined
      ? app.asApp.POST('/api/public/tools/import', { body: { ...body, toolName: toolName.trim() } })
      : app.asApp.POST('/api/public/tools/{toolId}/import', { params: { path: { toolId } }, body }));
  } catch (error) {
    if (error instanceof ApiError && error.isOpen) for (const [file, document] of uploaded) kept.set(file, document);
    else await deleteDocuments(app, uploaded);
    throw error;
  }
}

/** Returns the documents of an import that is repeated, and uploads the others. */
async function upload(app: AppContext, files: readonly File[]): Promise<Map<File, Uploaded>> {
  const uploaded = new Map<File, Uploaded>();
  const added = new Map<File, Uploaded>();
  try {
    for (const file of files) {
      const known = kept.get(file);
      if (known && Date.now() - known.at < REPEATED_WITHIN_MS) uploaded.set(file, known);
      else added.set(file, { fileId: await sendDocument(app, file), at: Date.now() });
    }
  } catch (error) {
    await deleteDocuments(app, added);
    throw error;
  }
  return new Map([...uploaded, ...added]);
}

/** A document that cannot be deleted stays, because the user has to learn why the import was refused. */
async function deleteDocuments(app: AppContext, documents: ReadonlyMap<File, Uploaded>): Promise<void> {
  await Promise.allSettled([...documents.values()].map(({ fileId }) => deleteDocument(app, fileId)));
}

/** The keys of uploads whose answers were lost. A repeat with the same key stores the document no second time. */
const keys = new WeakMap<File, string>();

async function sendDocument({ asApp }: AppContext, file: File): Promise<string> {
  const form = multipart<Schemas['UploadFileInput']>({ fileContext: 'tool', file });
  const key = keys.get(file) ?? newKey();
  keys.delete(file);
  try {
    return (await bodyOf(asApp.POST('/api/public/files', { ...form, headers: { [KEY_HEADER]: key } }))).fileId;
  } catch (error) {
    if (error instanceof ApiError && error.isOpen) keys.set(file, key);
    throw error;
  }
}

/** The repeat of an upload says which document it has stored. */
async function deleteUnanswered(app: AppContext, files: ReadonlySet<File>): Promise<void> {
  const open = [...files].filter((file) => keys.has(file));
  await Promise.allSettled(open.map(async (file) => deleteDocument(app, await sendDocument(app, file))));
}

async function deleteDocument({ projectId }: AppContext, fileId: string): Promise<void> {
  await api.DELETE('/api/admin/v1/projects/{projectId}/files/{fileId}', { params: { path: { projectId, fileId } } });
}
