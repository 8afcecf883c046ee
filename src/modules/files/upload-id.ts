import { PathId } from '../../platform/route/path-id.js';

/** Binds the id of the upload in the path. */
export function UploadId(): ParameterDecorator {
  return PathId('uploadSession', 'sessionId');
}
