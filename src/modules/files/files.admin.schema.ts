import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import type { File } from './file.entity.js';
import { fileContext, fileName } from './files.schema.js';

const bytes = z.number().meta({ examples: [52_428_800] });

export const FileView = z
  .object({
    fileId: id('file'),
    projectId: id('project'),
    fileName,
    fileExtension: z.string().meta({ examples: ['csv'] }),
    fileContext,
    fileSize: bytes,
    createdAt: timestamp,
  })
  .meta({ id: 'File' });

export const FileGone = z.object({ fileId: id('file') }).meta({ id: 'FileGone' });

export const StorageUseView = z
  .object({
    projectId: id('project'),
    files: z.number().meta({ examples: [12] }),
    fileBytes: bytes,
    heldBytes: bytes.describe('The bytes of the files, and the bytes that unfinished uploads reserve.'),
    limitBytes: z
      .number()
      .nullable()
      .describe('The limit in bytes, or null if there is none.')
      .meta({ examples: [1_073_741_824] }),
  })
  .meta({ id: 'StorageUse' });

export function toFileView(file: File): z.infer<typeof FileView> {
  return {
    fileId: file.id,
    projectId: file.project.id,
    fileName: file.name,
    fileExtension: file.extension,
    fileContext: file.context,
    fileSize: file.size,
    createdAt: file.createdAt.toISOString(),
  };
}
