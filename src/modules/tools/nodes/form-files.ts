import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SlipwayError } from '../../../kernel/errors.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import { FilesService } from '../../files/files.service.js';
import { NodeFailure } from '../node-kind.port.js';

export const MAX_FORM_BYTES = 16 * 1024 * 1024;
const FORM = 'an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`';

const FileValue = z
  .strictObject({
    fileId: z.string().optional(),
    base64: z.string().optional(),
    text: z.string().optional(),
    name: z.string().min(1).max(255).optional(),
    contentType: z.string().max(255).regex(MEDIA_TYPE).optional(),
  })
  .refine(({ fileId, base64, text }) => [fileId, base64, text].filter((each) => each !== undefined).length === 1);
type FileValue = z.infer<typeof FileValue>;

/** A file that a request sends. It is read when the request begins. */
export interface FormFile {
  name: string;
  contentType: string;
  bytes: number;
  read: () => Promise<Buffer>;
}

/** Where a file is sent. */
interface FilePlace {
  /** The words with which a refusal begins. */
  what: string;
  projectId: Id<'project'>;
  maxBytes: number;
  /** The format that the form demands, unless the file says another one. */
  type?: string | undefined;
}

/** Finds the files that requests send. A file is stored, or its content is given as base64 or text. */
@Injectable()
export class FormFiles {
  constructor(private readonly files: FilesService) {}

  async of(value: unknown, { what, type, ...place }: FilePlace): Promise<FormFile> {
    const { success, data: file } = FileValue.safeParse(value);
    if (!success) throw formInvalid(`${what} is not ${FORM}.`);
    const { name, contentType = type, fileId, text } = file;
    if (fileId !== undefined) return this.stored(fileId, { name, contentType }, place);
    if (text !== undefined) return given(Buffer.from(text), contentType ?? 'text/plain; charset=utf-8', name);
    const content = decoded(file.base64!);
    if (!content) throw formInvalid(`${what} is not base64, or its base64 is damaged.`);
    return given(content, contentType ?? 'application/octet-stream', name);
  }

  private async stored(
    fileId: string,
    { name, contentType }: Pick<FileValue, 'name' | 'contentType'>,
    { projectId, maxBytes }: Pick<FilePlace, 'projectId' | 'maxBytes'>,
  ): Promise<FormFile> {
    const file = await this.files.open(projectId, toId('file', fileId)).catch((error: unknown) => {
      if (!(error instanceof SlipwayError)) throw error;
      throw formInvalid('The project has no file with the given `fileId`.');
    });
    if (file.size > maxBytes) throw formTooLarge();
    return {
      name: name ?? file.name,
      contentType: contentType ?? file.mediaType,
      bytes: file.size,
      read: () => file.bytes(),
    };
  }
}

function given(content: Buffer, contentType: string, name = 'file'): FormFile {
  return { name, contentType, bytes: content.length, read: async () => content };
}

/**
 * Decodes base64 of either alphabet, with or without its padding and line breaks. Node skips what is no base64, so a
 * damaged text would become another content; it is refused because it is not what its content is encoded as.
 */
function decoded(text: string): Buffer | undefined {
  const base64 = text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const content = Buffer.from(base64, 'base64');
  const whole = content.toString('base64');
  return base64 === whole || base64 === whole.replace(/=+$/, '') ? content : undefined;
}

export function formInvalid(message: string): NodeFailure {
  return new NodeFailure('FORM_INVALID', message);
}

export function formTooLarge(): NodeFailure {
  return new NodeFailure('FORM_TOO_LARGE', `The body is larger than ${MAX_FORM_BYTES} bytes.`);
}
