import type { Transaction } from '../../platform/database/transaction.js';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

/** An upload that begins in a context for which a module has an `UploadContext`. */
export interface StartedUpload {
  sessionId: Id<'uploadSession'>;
  context: string;
  fileName: string;
  fileExtension: string;
  fileSize: number;
  isAdapter: boolean;
}

/** An upload in such a context whose file is complete. */
export interface CompletedUpload {
  sessionId: Id<'uploadSession'>;
  context: string;
  modelId: string;
  fileId: Id<'file'>;
}

/** The answer to the completion of an upload that a dock job imports. */
export interface ImportStarted {
  dockStatusId: string;
  modelId: string;
  jobType: 'MODELS';
  action: 'IMPORT';
  status: 'IN_PROGRESS';
}

/** Takes the uploads of a context. It is called in the transactions that start and complete an upload. */
export abstract class UploadContext {
  /** Returns the id of the model that is to be made of the upload. */
  abstract onStart(tx: Transaction, actor: KeyActor, upload: StartedUpload): Promise<{ modelId: string }>;

  abstract onComplete(tx: Transaction, actor: KeyActor, upload: CompletedUpload): Promise<ImportStarted>;
}

export const uploadContexts = new Mark<UploadContext, readonly string[]>(
  [UploadContext],
  'take uploads of the context',
);

/** Marks the only provider that takes the uploads of these contexts. */
export function TakesUploads(...contexts: string[]): ClassDecorator {
  return uploadContexts.marks(contexts);
}
