import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { toId } from '../../kernel/ids.js';
import { currentRequest } from '../../platform/context/request-context.js';
import type { BodyReceiver } from '../../platform/route/body-format.js';
import { Forms } from '../../platform/transfer/forms.js';
import type { ReceivedFile } from '../../platform/transfer/received-file.js';
import { filesErrors } from './files.errors.js';
import { UploadsService } from './uploads.service.js';

const MIB = 1024 * 1024;

/** A whole file in one request: less than 25 MiB. */
@Injectable()
export class FileReceiver implements BodyReceiver {
  constructor(private readonly forms: Forms) {}

  receive(request: Request, response: Response): Promise<object> {
    return this.forms.receive(request, response, { maxBytes: 25 * MIB - 1, tooLarge: filesErrors.fileTooLarge });
  }
}

/** A chunk of at most 25 MiB; nothing of it is taken in for an upload that takes none. */
@Injectable()
export class ChunkReceiver implements BodyReceiver {
  constructor(
    private readonly forms: Forms,
    private readonly uploads: UploadsService,
  ) {}

  async receive(request: Request, response: Response): Promise<object> {
    const actor = currentRequest()!.actor;
    if (actor?.kind !== 'key') throw new Error('Chunks are sent with API keys');
    await this.uploads.open(actor.projectId, toId('uploadSession', String(request.params.sessionId)));
    const limit = { maxBytes: 25 * MIB, tooLarge: filesErrors.chunkTooLarge };
    const form = await this.forms.receive(request, response, limit);
    checkDigest(request.headers['content-digest'], form.file);
    return form;
  }
}

/** `sha-256=:…:` as RFC 9530 has it, or without the colons; other algorithms are passed over, as it says. */
function checkDigest(header: string | string[] | undefined, file: ReceivedFile | undefined): void {
  const [, wanted] = /(?:^|[,\s])sha-256=:?([A-Za-z0-9+/]+={0,2}):?/i.exec(String(header ?? '')) ?? [];
  if (file && wanted !== undefined && wanted !== file.digest) throw filesErrors.chunkDigestMismatch();
}
