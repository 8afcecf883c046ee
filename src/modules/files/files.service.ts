import { Injectable } from '@nestjs/common';
import type { AdminActor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Events } from '../../platform/events/events.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { Download } from '../../platform/transfer/download.js';
import type { ReceivedFile } from '../../platform/transfer/received-file.js';
import { fileList, type FilesRequest } from './file.list.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { FileContents } from './file-contents.js';
import { FileLinks } from './file-links.js';
import { checkContent, checkExtension, extensionOf, mediaTypeOf } from './file-types.js';
import { File } from './file.entity.js';
import { FileRepository } from './file.repository.js';
import { FileDeleted, FileUploaded } from './files.events.js';
import { filesErrors } from './files.errors.js';
import { StorageQuota } from './storage-quota.js';

export interface OpenFile {
  readonly name: string;
  readonly extension: string;
  readonly size: number;
  readonly mediaType: string;
  bytes(): Promise<Buffer>;
}

/** Stores files that arrive in one request, and opens files for keys, for links and for other modules. */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly files: FileRepository,
    private readonly contents: FileContents,
    private readonly quota: StorageQuota,
    private readonly links: FileLinks,
    private readonly events: Events,
  ) {}

  async upload(actor: KeyActor, context: string, { name, size, head, object }: ReceivedFile): Promise<File> {
    const extension = extensionOf(name);
    checkExtension(context, extension);
    await checkContent(extension, async () => head);
    return this.database.transaction(actor, async (tx) => {
      const file = new File(await this.tenancy.project(actor.projectId), { context, name, extension, size });
      tx.em.persist(file);
      const part = { projectId: actor.projectId, contentId: file.id, number: 0, size, object };
      await tx.askAll([this.contents.add(tx, part), this.quota.reserve(actor.projectId, size)]);
      await this.events.publish(tx, FileUploaded, { fileId: file.id, projectId: actor.projectId, context, size });
      return file;
    });
  }

  /** Returns a link with which any client can read a file until a moment. */
  linkUntil(moment: Date, fileId: Id<'file'>): string {
    return this.links.until(moment, fileId);
  }

  async read(projectId: Id<'project'>, fileId: Id<'file'>): Promise<File> {
    return found(await this.files.inProject(projectId, fileId));
  }

  async list(projectId: Id<'project'>, request: FilesRequest): Promise<Page<File>> {
    const project = await this.tenancy.project(projectId);
    return fileList.page(this.files, { project }, request);
  }

  async readForAdministration(projectId: Id<'project'>, fileId: Id<'file'>): Promise<File> {
    const project = await this.tenancy.project(projectId);
    return this.read(project.id, fileId);
  }

  /** Deletes a file. Downloads that have begun still get all of it. */
  async delete(actor: AdminActor, projectId: Id<'project'>, fileId: Id<'file'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const project = await this.tenancy.project(projectId);
      await this.remove(tx, found(await this.files.lockInProject(project.id, fileId)));
    });
  }

  /** Deletes a file in the transaction of a module that has taken over its content. Does nothing if it is gone. */
  async discard(tx: Transaction, projectId: Id<'project'>, fileId: Id<'file'>): Promise<void> {
    const file = await this.files.lockInProject(projectId, fileId);
    if (file) await this.remove(tx, file);
  }

  /** Locks a file against deletion until the commit. Does nothing if it is gone. */
  async lock(projectId: Id<'project'>, fileId: Id<'file'>): Promise<void> {
    await this.files.lockInProject(projectId, fileId);
  }

  async use(projectId: Id<'project'>) {
    const project = await this.tenancy.project(projectId);
    return { projectId: project.id, ...(await this.quota.useOf(project.id)) };
  }

  /** Opens a file that is small enough to be read into memory at once. */
  async open(projectId: Id<'project'>, fileId: Id<'file'>): Promise<OpenFile> {
    const { name, extension, size, contentId } = await this.read(projectId, fileId);
    const bytes = () => this.contents.head(contentId, size);
    return { name, extension, size, mediaType: mediaTypeOf(extension), bytes };
  }

  /** Reads a part of a file's content as a stream. */
  readContent({ contentId }: File, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    return this.contents.read(contentId, range);
  }

  async download(fileId: Id<'file'>, expires: number, signature: string): Promise<Download> {
    this.links.check(fileId, expires, signature);
    const { name, extension, size, id: tag, contentId } = found(await this.files.byId(fileId));
    return new Download({
      name,
      mediaType: mediaTypeOf(extension),
      size,
      tag,
      read: (range) => this.contents.read(contentId, range),
    });
  }

  private async remove(tx: Transaction, file: File): Promise<void> {
    await this.contents.delete(tx, file.contentId);
    this.quota.release(tx, file.project.id, file.size);
    tx.em.remove(file);
    await this.events.publish(tx, FileDeleted, { fileId: file.id, projectId: file.project.id });
  }
}

function found(file: File | null): File {
  if (!file) throw filesErrors.fileNotFound();
  return file;
}
