import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { LinkQuery } from '../../platform/links/link-query.js';
import { plain } from '../../platform/route/answer.js';
import { formBody } from '../../platform/route/body-format.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { storageErrors } from '../../platform/storage/storage.errors.js';
import { download } from '../../platform/transfer/download.js';
import { transferErrors } from '../../platform/transfer/transfer.errors.js';
import { FileLinks } from './file-links.js';
import type { File } from './file.entity.js';
import { filesErrors } from './files.errors.js';
import { FileReceiver } from './files.receivers.js';
import { FileLinkView, UploadFile } from './files.schema.js';
import { FilesService } from './files.service.js';

@ApiTags('Files')
@Controller()
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly links: FileLinks,
  ) {}

  @Route('POST /api/public/files', {
    access: 'anyKey',
    summary: 'Upload a file of less than 25 MiB in one request',
    streamedBody: formBody(FileReceiver),
    returns: plain(FileLinkView),
    status: 201,
    errors: [
      filesErrors.unsupportedType,
      filesErrors.contentMismatch,
      filesErrors.fileTooLarge,
      filesErrors.quotaReached,
    ],
  })
  async upload(@CallingKey() actor: KeyActor, @Body({ schema: UploadFile }) { fileContext, file }: UploadFile) {
    return this.toLinkView(await this.files.upload(actor, fileContext, file));
  }

  @Route('GET /api/public/files/{fileId}', {
    access: 'anyKey',
    summary: 'Get a new link to a file',
    returns: plain(FileLinkView),
    errors: [filesErrors.fileNotFound],
  })
  async read(@CallingKey() { projectId }: KeyActor, @PathId('file') fileId: Id<'file'>) {
    return this.toLinkView(await this.files.read(projectId, fileId));
  }

  @Route('GET /api/public/files/content/{fileId}', {
    access: 'public',
    summary: 'Download a file by its link',
    description:
      'The address is the signed `url` of the file. The request may have a `Range`, which is answered with 206.',
    returns: download(),
    errors: [
      filesErrors.linkInvalid,
      filesErrors.linkExpired,
      filesErrors.fileNotFound,
      transferErrors.rangeNotSatisfiable,
      storageErrors.unavailable,
    ],
  })
  download(@PathId('file') fileId: Id<'file'>, @Query({ schema: LinkQuery }) { expires, signature }: LinkQuery) {
    return this.files.download(fileId, expires, signature);
  }

  private toLinkView({ id: fileId }: File): FileLinkView {
    return { url: this.links.to(fileId), fileId };
  }
}
