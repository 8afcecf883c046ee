import type { KeyActor } from '../../kernel/actor.js';
import { toId } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Dock } from '../dock/dock.service.js';
import {
  type CompletedUpload,
  type ImportStarted,
  type StartedUpload,
  TakesUploads,
  UploadContext,
} from '../files/files.port.js';
import { File } from '../files/file.entity.js';
import { UploadSession } from '../files/upload-session.entity.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';

/** Makes models and datasets of what is uploaded in these contexts. */
@TakesUploads('model', 'dataset')
export class ModelUploads extends UploadContext {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly models: ModelRepository,
    private readonly dock: Dock,
  ) {
    super();
  }

  async onStart(tx: Transaction, actor: KeyActor, upload: StartedUpload): Promise<{ modelId: string }> {
    const { sessionId, context, fileName, fileSize: size, isAdapter } = upload;
    const project = await this.tenancy.project(actor.projectId);
    const isDataset = context === 'dataset';
    const session = tx.em.getReference(UploadSession, sessionId);
    const model = new Model(project, {
      scopeId: actor.scopeId,
      upload: session,
      name: nameFrom(fileName),
      isAdapter,
      isDataset,
      fileName,
      size,
    });
    tx.em.persist(model);
    return { modelId: model.id };
  }

  async onComplete(tx: Transaction, actor: KeyActor, upload: CompletedUpload): Promise<ImportStarted> {
    const modelId = toId('model', upload.modelId);
    const model = await this.models.lockInProject(tx, actor.projectId, modelId);
    if (!model) throw new Error(`The model ${modelId} of the upload ${upload.sessionId} does not exist any more`);
    model.arrived(tx.em.getReference(File, upload.fileId));
    const job = await this.dock.start(tx, {
      projectId: actor.projectId,
      jobType: 'MODELS',
      action: 'IMPORT',
      scopeId: actor.scopeId,
      targetId: modelId,
      data: { modelId },
    });
    return { dockStatusId: job.id, modelId, jobType: 'MODELS', action: 'IMPORT', status: 'IN_PROGRESS' };
  }
}

/** Returns the file's name without its known extensions. */
function nameFrom(fileName: string): string {
  const name = fileName.replace(/(\.(gguf|safetensors|zip|tar|gz|tgz|json|jsonl|csv|txt|bin))+$/i, '').trim();
  return shortened(name || fileName, 128);
}
