import { Injectable } from '@nestjs/common';
import type { Entry, ZipFile } from 'yauzl';
import type { Id } from '../../../kernel/ids.js';
import type { File } from '../../files/file.entity.js';
import { FilesService } from '../../files/files.service.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { bringsSecrets, codeOf, DocumentFault } from './documents.js';
import type { DocumentName } from './documents.schema.js';
import { toolsErrors } from '../tools.errors.js';

export interface DocumentFiles {
  toolDataFileId: Id<'file'>;
  flowDataFileId: Id<'file'>;
  envVariablesFileId: Id<'file'> | null;
}

const MAX_BYTES = 2 * 1024 * 1024;
/** Published OpenAPI documents have up to 12 MiB. */
const MAX_OPENAPI_BYTES = 16 * 1024 * 1024;
const MAX_ENTRIES = 100;
const TAKEN = ['json', 'env', 'txt', 'zip'];
const OPENAPI_TAKEN = ['json', 'yaml', 'yml', 'txt'];
const MEMBERS = { tool: 'toolDataFileId', flow: 'flowDataFileId', env: 'envVariablesFileId' } as const;

/** Reads the documents of a tool from files. Each has a file of its own, or all are in an export. */
@Injectable()
export class ToolFiles {
  constructor(private readonly files: FilesService) {}

  /**
   * Whether the files are those of an OpenAPI document: it has the place of both documents. An export has it, too, but is
   * a ZIP archive.
   */
  async isOpenApi(projectId: Id<'project'>, { toolDataFileId, flowDataFileId }: DocumentFiles): Promise<boolean> {
    if (toolDataFileId !== flowDataFileId) return false;
    return (await this.files.read(projectId, toolDataFileId)).extension !== 'zip';
  }

  /** Refuses files by their type and size, before the import begins. */
  async check(projectId: Id<'project'>, documents: DocumentFiles, isOpenApi: boolean): Promise<void> {
    for (const name of ['tool', 'flow', 'env'] as const) {
      const fileId = documents[MEMBERS[name]];
      if (fileId === null) continue;
      const { extension, size } = await this.files.read(projectId, fileId);
      const member = MEMBERS[name];
      const isDescription = isOpenApi && name !== 'env';
      const taken = isDescription ? OPENAPI_TAKEN : TAKEN;
      if (!taken.includes(extension)) throw toolsErrors.fileUnsuitable({ member, reason: `is a .${extension} file` });
      if (size > (isDescription ? MAX_OPENAPI_BYTES : MAX_BYTES))
        throw toolsErrors.fileUnsuitable({ member, reason: `has ${size} bytes` });
    }
  }

  async read(projectId: Id<'project'>, { toolDataFileId, flowDataFileId, envVariablesFileId }: DocumentFiles) {
    return {
      tool: (await this.document(projectId, toolDataFileId, 'tool'))!,
      flow: (await this.document(projectId, flowDataFileId, 'flow'))!,
      env: envVariablesFileId === null ? null : await this.document(projectId, envVariablesFileId, 'env'),
    };
  }

  /**
   * Deletes the file of an env document with secrets. After the import they are sealed, or nowhere if it has failed.
   */
  async discardSecrets(tx: Transaction, projectId: Id<'project'>, documents: DocumentFiles, env: Buffer | null) {
    if (documents.envVariablesFileId === null || !env || !bringsSecrets(env)) return;
    await this.files.discard(tx, projectId, documents.envVariablesFileId);
  }

  private async document(projectId: Id<'project'>, fileId: Id<'file'>, name: DocumentName): Promise<Buffer | null> {
    const file = await this.files.read(projectId, fileId);
    const bytes = await this.bytesOf(file);
    if (file.extension !== 'zip') return bytes;
    const entry = await entryOf(bytes, `${name}.json`).catch(() => {
      throw new DocumentFault(codeOf(name), `The file ${file.name} is a ZIP archive that cannot be read.`);
    });
    if (!entry && name !== 'env')
      throw new DocumentFault(codeOf(name), `The archive ${file.name} does not contain ${name}.json.`);
    return entry;
  }

  private async bytesOf(file: File): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of await this.files.readContent(file, { start: 0, end: file.size - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

/** Reads one entry of an archive up to the limit of a document. The size that the archive declares may be false. */
async function entryOf(bytes: Buffer, name: string): Promise<Buffer | null> {
  const { fromBuffer } = await import('yauzl');
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const found = await new Promise<Entry | null>((resolve, reject) => {
    let seen = 0;
    zip.on('error', reject).on('end', () => resolve(null));
    zip.on('entry', (entry: Entry) => {
      seen += 1;
      if (entry.fileName === name) resolve(entry);
      else if (seen >= MAX_ENTRIES) reject(new Error('The archive has too many entries'));
      else zip.readEntry();
    });
    zip.readEntry();
  });
  if (!found) return null;
  if (found.uncompressedSize > MAX_BYTES) throw new Error('The entry is too large');
  const stream = await zip.openReadStreamPromise(found);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw new Error('The entry is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
