import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { fileList, type FilesRequest } from './file.list.js';
import { FileGone, FileView, StorageUseView, toFileView } from './files.admin.schema.js';
import { filesErrors } from './files.errors.js';
import { FilesService } from './files.service.js';

@ApiTags('Administration: files')
@Controller()
export class FilesAdminController {
  constructor(private readonly files: FilesService) {}

  @AdminRoute('GET /projects/{projectId}/files', {
    summary: 'List the files of a project, by default oldest first',
    returns: page(FileView),
  })
  async list(@PathId('project') projectId: Id<'project'>, @Query({ schema: fileList.query }) query: FilesRequest) {
    return mapPage(await this.files.list(projectId, query), toFileView);
  }

  @AdminRoute('GET /projects/{projectId}/files/{fileId}', {
    summary: 'Read the details of a file',
    returns: data(FileView),
    errors: [filesErrors.fileNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('file') fileId: Id<'file'>) {
    return toFileView(await this.files.readForAdministration(projectId, fileId));
  }

  @AdminRoute('DELETE /projects/{projectId}/files/{fileId}', {
    summary: 'Delete a file, so that its links stop working',
    returns: data(FileGone),
    errors: [filesErrors.fileNotFound],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('file') fileId: Id<'file'>,
  ) {
    return this.files.delete(actor, projectId, fileId).then(() => ({ fileId }));
  }

  @AdminRoute('GET /projects/{projectId}/storage', {
    summary: 'Read how much a project has stored',
    returns: data(StorageUseView),
  })
  use(@PathId('project') projectId: Id<'project'>) {
    return this.files.use(projectId);
  }
}
