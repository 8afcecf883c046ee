import { z } from 'zod';
import { exampleId, type Id } from '../../../kernel/ids.js';
import { id } from '../../../kernel/schema.js';
import type { AttachedFile } from '../session.entity.js';
import { AttachmentView, toAttachmentView } from '../session-views.schema.js';

export const AttachFile = z
  .strictObject({ fileId: id('file') })
  .meta({ id: 'AttachFile', examples: [{ fileId: exampleId('file') }] });
export type AttachFile = z.output<typeof AttachFile>;

export const AttachmentList = z
  .object({ sessionId: id('session'), attachments: z.array(AttachmentView) })
  .meta({ id: 'SessionAttachments' });

export function toAttachmentList(
  sessionId: Id<'session'>,
  attachments: readonly AttachedFile[],
): z.output<typeof AttachmentList> {
  return { sessionId, attachments: attachments.map(toAttachmentView) };
}
