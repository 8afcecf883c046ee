import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { KeyActor } from '../../../kernel/actor.js';
import { toId } from '../../../kernel/ids.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { Stopping } from '../../../platform/http/stopping.js';
import type { BodyReceiver, StreamedBody } from '../../../platform/route/body-format.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { type Issue, validationError } from '../../../platform/route/validation.js';
import { RawBody } from '../../../platform/transfer/raw-body.js';
import { checksumIn, wholeNumberIn } from './tus.protocol.js';
import { ReceivedBytes, toTusUpload } from './tus.schema.js';
import { TusService } from './tus.service.js';

/** Keeps the bytes of a request as they arrive. If they do not continue the upload, none of them are read. */
@Injectable()
export class TusReceiver implements BodyReceiver {
  constructor(
    private readonly tus: TusService,
    private readonly stopping: Stopping,
  ) {}

  async receive(request: Request): Promise<ReceivedBytes> {
    const issues: Issue[] = [];
    const offset = wholeNumberIn(request.headers, 'Upload-Offset', issues);
    if (issues.length > 0) throw validationError(issues);
    const sessionId = toId('uploadSession', String(request.params.sessionId));
    const open = () => opened(request, this.stopping);
    await this.tus.append(sender(), sessionId, { offset, ...announced(request) }, open);
    return new ReceivedBytes(sessionId);
  }
}

/** Creates an upload and keeps the bytes of the same request. If its headers have faults, none of them are read. */
@Injectable()
export class FirstBytesReceiver implements BodyReceiver {
  constructor(
    private readonly tus: TusService,
    private readonly stopping: Stopping,
  ) {}

  async receive(request: Request): Promise<ReceivedBytes> {
    const upload = toTusUpload(request.headers);
    const open = () => opened(request, this.stopping);
    const { id } = await this.tus.createWith(sender(), upload, announced(request), open);
    return new ReceivedBytes(id);
  }
}

function sender(): KeyActor {
  const actor = currentRequest()!.actor;
  if (actor?.kind !== 'key') throw new Error('Uploads are sent with API keys');
  return actor;
}

/** Returns what the headers say about the bytes that follow. */
function announced({ headers }: Request) {
  const length = headers['content-length'];
  return { bytes: length === undefined ? undefined : Number(length), checksum: checksumIn(headers) };
}

/** A body may take longer than a process that stops waits, so it ends early, and the client continues elsewhere. */
function opened(request: Request, stopping: Stopping): RawBody {
  const body = new RawBody(request);
  const details = { checks: { process: { status: 'down', message: 'is stopping' } } };
  body.whenLeft(stopping.onClosing(() => body.cut(httpErrors.notReady({ details }))));
  return body;
}

const mediaType = 'application/offset+octet-stream';

export const OFFSET_BODY: StreamedBody = {
  mediaType,
  matches: (type) => type === mediaType,
  receiver: TusReceiver,
  isResumable: true,
};

export const FIRST_BYTES_BODY: StreamedBody = { ...OFFSET_BODY, receiver: FirstBytesReceiver, mayBeEmpty: true };
