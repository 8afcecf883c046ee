import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { FilesService } from '../../files/files.service.js';
import { isText } from '../../sessions/memory/tokens.service.js';
import type { Memory } from '../../sessions/memory/session-memory.service.js';
import type { FilesAsParts, UserPart } from './prompt.js';
import { userStep } from './steps.js';

/** Files that were sent with messages, as a model is given them. */
@Injectable()
export class AttachedFiles {
  constructor(private readonly files: FilesService) {}

  areIn(memory: readonly Memory[]): boolean {
    return idsIn(memory).length > 0;
  }

  /** Of files that are gone, and of all where the model takes none, their names are said. */
  async of(projectId: Id<'project'>, memory: readonly Memory[], withContents: boolean): Promise<FilesAsParts> {
    const parts = new Map<string, UserPart>();
    for (const fileId of new Set(idsIn(memory))) parts.set(fileId, await this.part(projectId, fileId, withContents));
    return (each) => userStep(each).files.map((fileId) => parts.get(fileId)!);
  }

  private async part(projectId: Id<'project'>, fileId: Id<'file'>, withContents: boolean): Promise<UserPart> {
    const file = await this.files.open(projectId, fileId).catch(() => null);
    if (!file) return { type: 'text', text: '[a file that is no longer there]' };
    const { name, mediaType } = file;
    if (!withContents) return { type: 'text', text: `[file ${name}, which cannot be looked at here]` };
    const bytes = await file.bytes();
    const [type] = mediaType.split(';');
    if (isText(type!)) return { type: 'text', text: `File ${name}:\n${bytes.toString('utf8')}` };
    return { type: 'file', mediaType: type!, filename: name, data: { type: 'data', data: bytes.toString('base64') } };
  }
}

function idsIn(memory: readonly Memory[]): Id<'file'>[] {
  return memory.filter(({ kind }) => kind === 'user').flatMap((each) => userStep(each).files);
}
