import { newId } from '../../src/kernel/ids.js';
import { FilePart } from '../../src/modules/files/file-part.entity.js';
import { FilePartRepository } from '../../src/modules/files/file-part.repository.js';
import { ProjectStorageRepository } from '../../src/modules/files/project-storage.repository.js';
import { countPart, takeChunk } from '../../src/modules/files/upload-chunk.statements.js';
import { UploadSession } from '../../src/modules/files/upload-session.entity.js';
import { UploadSessionRepository } from '../../src/modules/files/upload-session.repository.js';
import * as unkept from '../../src/platform/storage/unkept-objects.statements.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, contentId, sessionId] = [newId('project'), newId('file'), newId('uploadSession')];

export const examples: Examples = {
  ...examplesOf(FilePartRepository, (parts) => ({
    add: parts.add(exampleRow(FilePart)),
    deleteAll: parts.deleteAll(contentId),
    numbersOf: parts.numbersOf(contentId),
    inRange: parts.inRange(contentId, { start: 0, end: 1 }),
  })),
  ...examplesOf(UploadSessionRepository, (sessions) => ({
    rowInProject: sessions.rowInProject(projectId, sessionId),
    lockRow: sessions.lockRow(projectId, sessionId),
    tusRow: sessions.tusRow(projectId, sessionId),
  })),
  ...examplesOf(ProjectStorageRepository, (storage) => ({
    reserve: storage.reserve(projectId, 1, 2),
    release: storage.release(projectId, 1),
    useOf: storage.useOf(projectId),
  })),
  countPart: countPart(exampleRow(FilePart)),
  takeChunk: takeChunk(exampleRow(UploadSession), exampleRow(FilePart), 1, {
    keep: unkept.keep(newId('storedObject')).sql,
    release: (query) => unkept.releaseSelected(query).sql,
  }),
};
