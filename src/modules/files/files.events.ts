import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { count, ownId } from '../../kernel/schema.js';

const file = z.object({ fileId: ownId('file'), projectId: ownId('project') });

export const FileUploaded = defineEvent(
  'file.uploaded',
  file.extend({ context: z.string(), size: count(1_024) }).describe('A file was uploaded, at once or in chunks.'),
);
export type FileUploaded = PayloadOf<typeof FileUploaded>;

export const FileDeleted = defineEvent('file.deleted', file.describe('A file was deleted.'));
export type FileDeleted = PayloadOf<typeof FileDeleted>;
