import { newId } from '../../src/kernel/ids.js';
import { FilePart } from '../../src/modules/files/file-part.entity.js';
import { FilePartRepository } from '../../src/modules/files/file-part.repository.js';
import { ProjectStorageRepository } from '../../src/modules/files/project-storage.repository.js';
import { UploadSession } from '../../src/modules/files/upload-session.entity.js';
import { UploadSessionRepository } from '../../src/modules/files/upload-session.repository.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, contentId, sessionId] = [newId('project'), newId('file'), newId('uploadSession')];

export const examples: Examples = {
  ...examplesOf(FilePartRepository, (parts) => ({
    add: parts.add(exampleRow(FilePart)),
    put: parts.put(exampleRow(FilePart)),
    byNumber: parts.byNumber(contentId, 1),
    takeOutAll: parts.takeOutAll(contentId),
    numbersOf: parts.numbersOf(contentId),
    inRange: parts.inRange(contentId, { start: 0, end: 1 }),
  })),
  ...examplesOf(UploadSessionRepository, (sessions) => ({
    lockRow: sessions.lockRow(projectId, sessionId),
    updateCount: sessions.updateCount(sessionId, exampleRow(UploadSession)),
  })),
  ...examplesOf(ProjectStorageRepository, (storage) => ({
    take: storage.take(projectId, 1, 2),
    giveBack: storage.giveBack(projectId, 1),
    useOf: storage.useOf(projectId),
  })),
};
