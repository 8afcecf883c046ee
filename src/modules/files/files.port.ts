import type { Transaction } from '../../platform/database/transaction.js';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

/** An upload that begins in a context which somebody takes. */
export interface StartedUpload {
  sessionId: Id<'uploadSession'>;
  context: string;
  fileName: string;
  fileExtension: string;
  fileSize: number;
  isAdapter: boolean;
}

/** The same, once its file is whole. */
export interface CompletedUpload {
  sessionId: Id<'uploadSession'>;
  context: string;
  modelId: string;
  fileId: Id<'file'>;
}

/** A job that imports what was uploaded, as the client is told of it. */
export interface ImportStarted {
  dockStatusId: string;
  modelId: string;
  jobType: 'MODELS';
  action: 'IMPORT';
  status: 'IN_PROGRESS';
}

/** Whoever takes what is uploaded in a context: it hears of the upload in the transactions that begin and end it. */
export abstract class UploadContext {
  /** The id of what the upload is to become. */
  abstract onStart(tx: Transaction, actor: KeyActor, upload: StartedUpload): Promise<{ modelId: string }>;

  abstract onComplete(tx: Transaction, actor: KeyActor, upload: CompletedUpload): Promise<ImportStarted>;
}

export const uploadContexts = new Mark<UploadContext, readonly string[]>('take uploads of the context');

/** Marks the one provider that takes what is uploaded in these contexts. */
export function TakesUploads(...contexts: string[]): ClassDecorator {
  return uploadContexts.marks(contexts);
}
