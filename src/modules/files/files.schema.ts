import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { displayName, id, nameUpTo } from '../../kernel/schema.js';
import { ReceivedFile } from '../../platform/transfer/received-file.js';

export const fileContext = displayName
  .max(64)
  .describe(
    'The purpose of the file, under a name of your choice. Some purposes accept more types of files: see docs/files.md.',
  )
  .meta({ examples: ['bulkImport'] });

/** A name that is only shown and is no path. Everything before the last slash is removed. */
export const fileName = z
  .string()
  .transform((text) => text.replace(/^.*[/\\]/s, ''))
  .pipe(nameUpTo(255))
  .meta({ examples: ['orders.csv'] });

export const receivedFile = z
  .instanceof(ReceivedFile, { error: 'is required: send one file under this name' })
  .transform((file, context) => {
    const { data, error } = fileName.safeParse(file.name);
    for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', path: ['name'], message });
    return data === undefined ? z.NEVER : file.named(data);
  })
  .meta({ type: 'string', format: 'binary', description: 'The file, with its name.' });

export const UploadFile = z
  .strictObject({ file: receivedFile, fileContext })
  .meta({ id: 'UploadFile', examples: [{ file: '(the bytes of the file)', fileContext: 'bulkImport' }] });
export type UploadFile = z.infer<typeof UploadFile>;

const url = z
  .string()
  .describe('A link that opens the file for an hour. Everyone who has the link can use it.')
  .meta({
    examples: [
      `http://127.0.0.1:3000/api/public/files/content/${exampleId('file')}?expires=1795253400&signature=1.Zm9yIGV4YW1wbGUgb25seSwgdGhpcyBpcyBub3QgcmVhbA`,
    ],
  });

export const FileLinkView = z.object({ url, fileId: id('file') }).meta({ id: 'FileLink' });
export type FileLinkView = z.infer<typeof FileLinkView>;
