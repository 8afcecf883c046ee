import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SlipwayError } from '../../../kernel/errors.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { isJsonObject } from '../../../kernel/json.js';
import { MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import { FilesService } from '../../files/files.service.js';
import type { NodeOf } from '../documents/documents.schema.js';
import { NodeFailure } from './node-kind.js';

/** The body is in memory as a whole, so that the attempts of a node can repeat it. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_PARTS = 200;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

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

interface SentFile {
  bytes: Buffer;
  name: string;
  contentType: string;
}

interface Part {
  name: string;
  bytes: Buffer;
  contentType?: string | undefined;
  filename?: string;
}

/** A body of bytes, and its record without the contents of files. */
export interface BytesBody {
  bytes: Buffer;
  contentType: string;
  shown: Record<string, unknown>;
}

/** Makes the bodies of HTTP requests that contain files. A file is stored, or is given as base64 or text. */
@Injectable()
export class HttpBodies {
  constructor(private readonly files: FilesService) {}

  async file(value: unknown, projectId: Id<'project'>): Promise<BytesBody> {
    const { bytes, ...file } = await this.sent(value, 'The body', projectId, MAX_BYTES);
    return { bytes, contentType: file.contentType, shown: { file: { ...file, bytes: bytes.length } } };
  }

  /** Makes a form of `multipart/form-data`. Members that are null are left out, and lists become a part for each item. */
  async multipart(
    fields: unknown,
    { files = [], types = {} }: Omit<NonNullable<NodeOf<'http'>['multipart']>, 'fields'>,
    projectId: Id<'project'>,
  ): Promise<BytesBody> {
    if (!isJsonObject(fields)) throw invalid('The fields of the form are not an object.');
    const items = Object.entries(fields).flatMap(([name, value]) => itemsOf(value).map((item) => ({ name, item })));
    if (items.length > MAX_PARTS) throw invalid(`The form has ${items.length} parts, and the limit is ${MAX_PARTS}.`);
    const parts: Part[] = [];
    const shown: object[] = [];
    let left = MAX_BYTES;
    for (const { name, item } of items) {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      if (files.includes(name)) {
        const { bytes, ...file } = await this.sent(item, `The file ${name}`, projectId, left, type);
        parts.push({ name, bytes, contentType: file.contentType, filename: file.name });
        shown.push({ name, file: { ...file, bytes: bytes.length } });
      } else {
        const part = fieldOf(name, item, type);
        parts.push(part);
        shown.push({ name, value: item });
      }
      left -= parts.at(-1)!.bytes.length;
      if (left < 0) throw tooLarge();
    }
    return { ...encoded(parts), shown: { multipart: shown } };
  }

  private async sent(
    value: unknown,
    what: string,
    projectId: Id<'project'>,
    most: number,
    type?: string,
  ): Promise<SentFile> {
    const { success, data: file } = FileValue.safeParse(value);
    if (!success) {
      const form = 'an object with one of `fileId`, `base64` and `text`, and perhaps `name` and `contentType`';
      throw invalid(`${what} is not ${form}.`);
    }
    const { name = 'file', contentType = type, fileId } = file;
    if (fileId !== undefined) return this.stored(fileId, file, projectId, most);
    if (file.text !== undefined)
      return { bytes: Buffer.from(file.text), name, contentType: contentType ?? 'text/plain; charset=utf-8' };
    const base64 = file.base64!.replace(/\s+/g, '');
    if (!BASE64.test(base64)) throw invalid(`${what} is not base64.`);
    return { bytes: Buffer.from(base64, 'base64'), name, contentType: contentType ?? 'application/octet-stream' };
  }

  private async stored(fileId: string, given: FileValue, projectId: Id<'project'>, most: number): Promise<SentFile> {
    const file = await this.files.open(projectId, toId('file', fileId)).catch((error: unknown) => {
      if (!(error instanceof SlipwayError)) throw error;
      throw invalid('The project has no file with the given `fileId`.');
    });
    if (file.size > most) throw tooLarge();
    const { name = file.name, contentType = file.mediaType } = given;
    return { bytes: await file.bytes(), name, contentType };
  }
}

function itemsOf(value: unknown): unknown[] {
  return [value].flat().filter((item) => item !== null && item !== undefined);
}

function fieldOf(name: string, value: unknown, type: string | undefined): Part {
  if (typeof value === 'string' && !isJson(type)) return { name, bytes: Buffer.from(value), contentType: type };
  const contentType = type ?? (typeof value === 'object' ? 'application/json' : undefined);
  return { name, bytes: Buffer.from(JSON.stringify(value)), contentType };
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/([\w.+-]+\+)?json\b/i.test(type);
}

function encoded(parts: readonly Part[]): { bytes: Buffer; contentType: string } {
  const boundary = `slipway-${randomUUID()}`;
  const pieces = parts.flatMap(({ name, bytes, contentType, filename }) => {
    const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
    const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  const bytes = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { bytes, contentType: `multipart/form-data; boundary=${boundary}` };
}

/** Browsers escape names in this way. A line break in a name would otherwise begin another header. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function invalid(message: string): NodeFailure {
  return new NodeFailure('FORM_INVALID', message);
}

function tooLarge(): NodeFailure {
  return new NodeFailure('FORM_TOO_LARGE', `The body is larger than ${MAX_BYTES} bytes.`);
}
