import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { toId } from '../../../kernel/ids.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { Stopping } from '../../../platform/http/stopping.js';
import type { BodyReceiver, StreamedBody } from '../../../platform/route/body-format.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { type Issue, validationError } from '../../../platform/route/validation.js';
import { RawBody } from '../../../platform/transfer/raw-body.js';
import { checksumIn, checkVersion, wholeNumberIn } from './tus.protocol.js';
import { ReceivedBytes } from './tus.schema.js';
import { TusService } from './tus.service.js';

/** Keeps the bytes of a request as they arrive. If they do not continue the upload, none of them are read. */
@Injectable()
export class TusReceiver implements BodyReceiver {
  constructor(
    private readonly tus: TusService,
    private readonly stopping: Stopping,
  ) {}

  async receive(request: Request): Promise<ReceivedBytes> {
    const actor = currentRequest()!.actor;
    if (actor?.kind !== 'key') throw new Error('Uploads continue with API keys');
    const { headers, params } = request;
    checkVersion(headers);
    const issues: Issue[] = [];
    const offset = wholeNumberIn(headers, 'Upload-Offset', issues);
    if (issues.length > 0) throw validationError(issues);
    const length = headers['content-length'];
    const bytes = length === undefined ? undefined : Number(length);
    const continuation = { offset, bytes, checksum: checksumIn(headers) };
    const sessionId = toId('uploadSession', String(params.sessionId));
    await this.tus.append(actor, sessionId, continuation, () => this.open(request));
    return new ReceivedBytes();
  }

  /** A body may take longer than a process that stops waits, so it ends early, and the client continues elsewhere. */
  private open(request: Request): RawBody {
    const body = new RawBody(request);
    const details = { checks: { process: { status: 'down', message: 'is stopping' } } };
    body.whenLeft(this.stopping.onClosing(() => body.cut(httpErrors.notReady({ details }))));
    return body;
  }
}

const mediaType = 'application/offset+octet-stream';

export const OFFSET_BODY: StreamedBody = {
  mediaType,
  matches: (type) => type === mediaType,
  receiver: TusReceiver,
  isResumable: true,
};
