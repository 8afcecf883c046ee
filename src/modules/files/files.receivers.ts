import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { toId } from '../../kernel/ids.js';
import { currentRequest } from '../../platform/context/request-context.js';
import type { BodyReceiver } from '../../platform/route/body-format.js';
import { Forms } from '../../platform/transfer/forms.js';
import { filesErrors } from './files.errors.js';
import { UploadsService } from './uploads.service.js';

const MIB = 1024 * 1024;

/** Receives a complete file of less than 25 MiB in one request. */
@Injectable()
export class FileReceiver implements BodyReceiver {
  constructor(private readonly forms: Forms) {}

  receive(request: Request, response: Response): Promise<object> {
    const { fileTooLarge: tooLarge } = filesErrors;
    return this.forms.receive(request, response, { maxBytes: 25 * MIB - 1, tooLarge, isDigested: true });
  }
}

/** Receives a chunk of at most 25 MiB. If the upload takes no chunks, the request is refused before its body is read. */
@Injectable()
export class ChunkReceiver implements BodyReceiver {
  constructor(
    private readonly forms: Forms,
    private readonly uploads: UploadsService,
  ) {}

  async receive(request: Request, response: Response): Promise<object> {
    const actor = currentRequest()!.actor;
    if (actor?.kind !== 'key') throw new Error('Chunks are sent with API keys');
    const object = await this.uploads.open(actor.projectId, toId('uploadSession', String(request.params.sessionId)));
    const digest = digestIn(request.headers['content-digest']);
    const { chunkTooLarge: tooLarge, chunkDigestMismatch } = filesErrors;
    const isDigested = digest !== undefined;
    const form = await this.forms.receive(request, response, { maxBytes: 25 * MIB, tooLarge, isDigested, object });
    if (isDigested && form.file && form.file.digest !== digest) throw chunkDigestMismatch();
    return form;
  }
}

/**
 * Returns the digest of the header `Content-Digest`: `sha-256=:…:` as in RFC 9530, or without the colons. Other
 * algorithms are ignored, as the RFC requires. A malformed digest matches no content.
 */
function digestIn(header: string | string[] | undefined): string | undefined {
  return /(?:^|[,\s])sha-256=:?([A-Za-z0-9+/]*={0,2})/i.exec(String(header ?? ''))?.[1];
}
