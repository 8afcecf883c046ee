import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import { exampleOf } from '../../kernel/schema-example.js';
import { plainWithExamples } from '../../platform/route/answer.js';
import { fileContext, FileLinkView, fileName, receivedFile } from './files.schema.js';
import { missingFrom, type UploadSession } from './upload-session.entity.js';
import type { UploadRequest } from './uploads.service.js';

/** The most bytes that a chunk may have. */
const CHUNK_BYTES = 25 * 1024 * 1024;

const fileExtension = z
  .string()
  .transform((text) => text.replace(/^\./, '').toLowerCase())
  .describe('The extension of the file’s type, with or without a dot.')
  .meta({ examples: ['csv'] });
const totalChunks = z
  .number()
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ examples: [3] });
const fileSize = z
  .number()
  .int()
  .min(1)
  .describe('The size of the file in bytes, which is also the sum of its chunks.')
  .meta({ examples: [60_000_000] });

export const StartUpload = z
  .strictObject({
    fileContext,
    fileName,
    fileExtension,
    fileSize,
    totalChunks,
    isAdapter: z
      .boolean()
      .optional()
      .describe('Whether the model is an adapter for another one. It is only for contexts that make models of files.'),
  })
  .refine(({ fileSize: bytes, totalChunks: chunks }) => bytes <= chunks * CHUNK_BYTES, {
    path: ['totalChunks'],
    message: 'is too low for a file of this size, because a chunk has at most 25 MiB',
  })
  .meta({
    id: 'StartUpload',
    examples: [
      {
        fileContext: 'bulkImport',
        fileName: 'orders.csv',
        fileExtension: 'csv',
        fileSize: 60_000_000,
        totalChunks: 3,
      },
    ],
  });
export type StartUpload = z.infer<typeof StartUpload>;

const sessionId = id('uploadSession');
const modelId = z
  .string()
  .describe('The id of the model that is made of the file.')
  .meta({ examples: ['cm-0VJ8kQ2xT4bN7mRw1ZcYp3'] });

export const UploadStartedView = z
  .object({ sessionId, expirationDate: timestamp, modelId: modelId.optional() })
  .meta({ id: 'UploadStarted' });

export const UploadChunk = z
  .strictObject({
    file: receivedFile,
    chunkNumber: z
      .string()
      .describe('The number of the chunk. The first chunk of an upload is 0 or 1.')
      .meta({ examples: ['0'] }),
  })
  .meta({ id: 'UploadChunk', examples: [{ file: '(the bytes of the chunk)', chunkNumber: '0' }] });
export type UploadChunk = z.infer<typeof UploadChunk>;

export const ChunkTakenView = z
  .object({ chunkNumber: z.number().meta({ examples: [0] }), sessionId })
  .meta({ id: 'ChunkTaken' });

export const UploadGone = z.object({ sessionId }).meta({ id: 'UploadGone' });

const chunkNumbers = z.array(z.number());

export const UploadView = z
  .object({
    sessionId,
    status: z.enum(['open', 'completed']),
    expirationDate: timestamp,
    fileContext,
    fileName,
    fileExtension: z.string().meta({ examples: ['csv'] }),
    fileSize,
    totalChunks,
    receivedBytes: z.number().meta({ examples: [26_214_400] }),
    receivedChunks: chunkNumbers.meta({ examples: [[0]] }),
    missingChunks: chunkNumbers
      .describe('The numbers of the chunks that have not arrived.')
      .meta({ examples: [[1, 2]] }),
    modelId: modelId.optional(),
    fileId: id('file').optional().describe('The id of the file, once the upload is complete.'),
  })
  .meta({ id: 'Upload' });

export const OpenUploadView = z
  .object({
    sessionId,
    expirationDate: timestamp,
    fileContext,
    fileName,
    fileExtension: z.string().meta({ examples: ['csv'] }),
    fileSize,
    receivedBytes: z.number().meta({ examples: [26_214_400] }),
    totalChunks: totalChunks
      .nullable()
      .describe('The number of its chunks, or null for an upload over tus, which has none.'),
    modelId: modelId.optional(),
  })
  .meta({ id: 'OpenUpload' });

export const OpenUploads = z
  .object({
    uploads: z.array(OpenUploadView),
    total: z
      .number()
      .describe('The number of all open uploads of the project.')
      .meta({ examples: [1] }),
  })
  .meta({ id: 'OpenUploads' });

export const ImportStartedView = z
  .object({
    dockStatusId: z.string().meta({ examples: ['ds-0VJ8kQ2xT4bN7mRw1ZcYp3'] }),
    modelId,
    jobType: z.literal('MODELS'),
    action: z.literal('IMPORT'),
    status: z.literal('IN_PROGRESS'),
  })
  .meta({ id: 'ImportStarted' });

export const UploadCompletedView = z
  .union([FileLinkView, ImportStartedView])
  .meta({ examples: [exampleOf(FileLinkView)] });

/** The purpose of the upload decides which of the two is returned. */
export const uploadCompleted = plainWithExamples(UploadCompletedView, {
  file: exampleOf(FileLinkView) as z.output<typeof FileLinkView>,
  modelImport: exampleOf(ImportStartedView) as z.output<typeof ImportStartedView>,
});

/** Adds the extension to a name without it, so that a downloaded file opens in the right program. */
export function toUploadRequest({ isAdapter, ...sent }: StartUpload): UploadRequest {
  const ending = `.${sent.fileExtension}`;
  return {
    context: sent.fileContext,
    name: sent.fileName.toLowerCase().endsWith(ending) ? sent.fileName : sent.fileName + ending,
    extension: sent.fileExtension,
    size: sent.fileSize,
    totalChunks: sent.totalChunks,
    isAdapter,
  };
}

export function toUploadStartedView(session: UploadSession): z.infer<typeof UploadStartedView> {
  const { id: startedId, expiresAt, modelId: startedModel } = session;
  return {
    sessionId: startedId,
    expirationDate: expiresAt.toISOString(),
    ...(startedModel !== null && { modelId: startedModel }),
  };
}

export function toOpenUploadView(session: UploadSession): z.infer<typeof OpenUploadView> {
  return {
    ...toUploadStartedView(session),
    fileContext: session.context,
    fileName: session.name,
    fileExtension: session.extension,
    fileSize: session.size,
    receivedBytes: session.receivedBytes,
    totalChunks: session.tusMetadata === null ? session.totalChunks : null,
  };
}

export function toUploadView(session: UploadSession, chunks: number[]): z.infer<typeof UploadView> {
  return {
    ...toUploadStartedView(session),
    status: session.fileId ? 'completed' : 'open',
    fileContext: session.context,
    fileName: session.name,
    fileExtension: session.extension,
    fileSize: session.size,
    totalChunks: session.totalChunks,
    receivedBytes: session.receivedBytes,
    receivedChunks: chunks,
    missingChunks: missingFrom(session, new Set(chunks)),
    ...(session.fileId && { fileId: session.fileId }),
  };
}
