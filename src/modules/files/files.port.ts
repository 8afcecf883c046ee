import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, SetMetadata } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';

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
  abstract onStart(em: EntityManager, actor: KeyActor, upload: StartedUpload): Promise<{ modelId: string }>;

  abstract onComplete(em: EntityManager, actor: KeyActor, upload: CompletedUpload): Promise<ImportStarted>;
}

const TAKES_UPLOADS = 'slipway:takes-uploads';

/** Marks the one provider that takes what is uploaded in these contexts. */
export function TakesUploads(...contexts: string[]): ClassDecorator {
  return (target) => {
    Injectable()(target);
    SetMetadata(TAKES_UPLOADS, contexts)(target);
  };
}

export function contextsTakenBy(target: object): readonly string[] {
  return (Reflect.getMetadata(TAKES_UPLOADS, target) ?? []) as string[];
}
