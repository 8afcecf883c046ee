import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Id } from '../../../kernel/ids.js';
import { type Issue, validationError, check } from '../../../platform/route/validation.js';
import type { HeaderValues } from '../../../platform/transfer/headers-only.js';
import { extensionOf } from '../file-types.js';
import { fileContext, fileName } from '../files.schema.js';
import type { UploadSessionRow } from '../upload-session.entity.js';
import type { UploadRequest } from '../uploads.service.js';
import { CHECKSUM_ALGORITHMS, metadataIn, TUS_EXTENSIONS, wholeNumberIn } from './tus.protocol.js';
import { TUS_VERSION } from './tus.version.js';

/** The widest of the contexts that start nothing. */
const DEFAULT_CONTEXT = 'bulkImport';

const Metadata = z.object({
  filename: fileName,
  fileContext,
  isAdapter: z.enum(['true', 'false'], 'must be true or false').optional(),
});

/** The body of a request whose bytes are already in the store, as bytes of this upload. */
export class ReceivedBytes {
  constructor(readonly sessionId: Id<'uploadSession'>) {}
}

export const UploadBytes = z
  .instanceof(ReceivedBytes)
  .meta({ id: 'UploadBytes', type: 'string', format: 'binary', examples: ['(bytes of the file)'] });

export type UploadBytes = z.infer<typeof UploadBytes>;

export const FirstBytes = UploadBytes.optional();

export type FirstBytes = z.infer<typeof FirstBytes>;

export type NewTusUpload = UploadRequest & { tusMetadata: string };

/** Returns the upload that the headers of a creation ask for. */
export function toTusUpload(headers: IncomingHttpHeaders): NewTusUpload {
  const issues: Issue[] = [];
  if (headers['upload-defer-length'] !== undefined)
    issues.push({ path: ['Upload-Defer-Length'], message: 'is not supported; send Upload-Length' });
  const size = wholeNumberIn(headers, 'Upload-Length', issues);
  if (size === 0 && issues.length === 0)
    issues.push({ path: ['Upload-Length'], message: 'must be at least 1; send an empty file in one request' });
  const sent = metadataIn(headers, issues);
  const context = sent.get('fileContext') ?? sent.get('filecontext') ?? DEFAULT_CONTEXT;
  const { value, issues: ofMetadata } = check(Metadata, { ...Object.fromEntries(sent), fileContext: context });
  issues.push(...ofMetadata.map(({ path, message }) => ({ path: ['Upload-Metadata', ...path], message })));
  if (issues.length > 0) throw validationError(issues);
  const { filename: name, fileContext: known, isAdapter } = value as z.output<typeof Metadata>;
  return {
    context: known,
    name,
    extension: extensionOf(name),
    size,
    totalChunks: 1,
    isAdapter: isAdapter === undefined ? undefined : isAdapter === 'true',
    tusMetadata: String(headers['upload-metadata']),
  };
}

export function abilities(maxSize: number): HeaderValues {
  return {
    'tus-version': TUS_VERSION,
    'tus-extension': TUS_EXTENSIONS,
    'tus-max-size': String(maxSize),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
  };
}

type Upload = Pick<UploadSessionRow, 'id' | 'receivedBytes' | 'expiresAt' | 'fileId' | 'modelId' | 'importStarted'>;

/** The headers of every answer about an upload. */
export function progressOf({ receivedBytes, expiresAt, ...upload }: Upload): HeaderValues {
  return {
    'upload-offset': String(receivedBytes),
    ...(upload.fileId ? { 'slipway-file-id': upload.fileId } : { 'upload-expires': expiresAt.toUTCString() }),
    ...(upload.modelId && { 'slipway-model-id': upload.modelId }),
    ...(upload.importStarted && { 'slipway-dock-status-id': upload.importStarted.dockStatusId }),
  };
}

export function created(upload: Upload): HeaderValues {
  return { ...progressOf(upload), location: `/api/public/files/tus/${upload.id}` };
}

export function state(upload: Upload & Pick<UploadSessionRow, 'size' | 'tusMetadata'>): HeaderValues {
  const { size, tusMetadata } = upload;
  return {
    ...progressOf(upload),
    'upload-length': String(size),
    'upload-metadata': tusMetadata ?? '',
    'cache-control': 'no-store',
  };
}

/** The descriptions of these headers. */
export const PROGRESS_HEADERS = {
  'upload-offset': 'The bytes that have arrived and are kept.',
  'upload-expires': 'The time at which an unfinished upload ends.',
  'slipway-file-id': 'The id of the file, once all of it has arrived.',
  'slipway-model-id': 'The id of the model that is made of the file, in contexts that make models.',
  'slipway-dock-status-id': 'The id of the dock job that imports the model.',
};
