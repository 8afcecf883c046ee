import { toId } from '../../kernel/ids.js';
import type { Downloadable } from '../../platform/transfer/download.js';
import type { DockJob } from '../dock/dock-job.entity.js';
import { DockExports, GivesExports } from '../dock/dock.port.js';
import { FilesService } from '../files/files.service.js';
import { ModelRepository } from './model.repository.js';
import { modelsErrors } from './models.errors.js';

/** Exports a model as the imported file, byte for byte, so that it can be imported again. */
@GivesExports('MODELS')
export class ModelExports extends DockExports {
  constructor(
    private readonly models: ModelRepository,
    private readonly files: FilesService,
  ) {
    super();
  }

  async open({ project, targetId }: DockJob): Promise<Downloadable> {
    const model = await this.models.inProject(project.id, toId('model', targetId));
    if (!model?.file) throw modelsErrors.contentGone();
    const file = await this.files.read(project.id, model.file.id);
    return {
      name: file.name,
      mediaType: 'application/octet-stream',
      size: file.size,
      tag: file.id,
      read: (range) => this.files.readContent(file, range),
    };
  }
}
