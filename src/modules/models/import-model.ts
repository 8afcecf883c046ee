import { z } from 'zod';
import { type Id, toId } from '../../kernel/ids.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { type DockError, DoesDockWork, type DockSubject, type DockTask, DockWork } from '../dock/dock.port.js';
import { ImportFault } from './contents/import-fault.js';
import { inspectDataset, inspectModel } from './contents/inspect.js';
import type { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { StoredContents } from './stored-contents.js';

const ImportData = z.object({ modelId: z.string() });
type ImportData = z.infer<typeof ImportData>;

/** Inspects an uploaded file without running anything of it, and stores what it found out. */
@DoesDockWork({ jobType: 'MODELS', action: 'IMPORT', data: ImportData, attempts: 3 })
export class ImportModel extends DockWork<ImportData> {
  constructor(
    private readonly models: ModelRepository,
    private readonly contents: StoredContents,
  ) {
    super();
  }

  async run(task: DockTask<ImportData>): Promise<void> {
    const modelId = toId('model', task.data.modelId);
    const model = await this.models.inProject(task.projectId, modelId);
    if (!model?.file) return task.fail('MODEL_CONTENT_GONE', 'The file was deleted in the meantime. Import it again.');
    try {
      const inspected = await this.inspect(task, model, model.file.id);
      await task.succeed(async (tx) => {
        (await this.lockModel(tx, task))?.imported(inspected);
      });
    } catch (error) {
      if (!(error instanceof ImportFault)) throw error;
      const { code, message } = error;
      await task.fail(code, message, (tx) => this.failed(tx, task, { code, message }));
    }
  }

  async lock(tx: Transaction, subject: DockSubject<ImportData>): Promise<void> {
    await this.lockModel(tx, subject);
  }

  async onFailed(tx: Transaction, subject: DockSubject<ImportData>, { code, message }: DockError): Promise<void> {
    await this.failed(tx, subject, { code, message });
  }

  private async inspect(task: DockTask<ImportData>, model: Model, fileId: Id<'file'>) {
    let read = 0;
    const onRead = (bytes: number) => {
      read += bytes;
      task.progress((100 * read) / model.size, 'Reading the file');
    };
    const content = await this.contents.open(task.projectId, fileId, onRead, task.signal);
    return model.kind === 'dataset' ? inspectDataset(content) : inspectModel(content, model.isAdapter);
  }

  private async failed(tx: Transaction, subject: DockSubject<ImportData>, failure: DockError): Promise<void> {
    (await this.lockModel(tx, subject))?.importFailed({ ...failure });
  }

  private lockModel(tx: Transaction, { projectId, data }: DockSubject<ImportData>): Promise<Model | null> {
    return this.models.lockInProject(tx, projectId, toId('model', data.modelId));
  }
}
