import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isJsonObject } from '../../../kernel/json.js';
import type { Id } from '../../../kernel/ids.js';
import type { JsonText } from '../../../kernel/json-text.js';
import { formInvalid, FormFiles, formTooLarge, MAX_FORM_BYTES, type FormFile } from './form-files.js';
import type { HttpNode } from './http.schema.js';

const MAX_PARTS = 200;

/** The body of a request. If it has files, they are not read yet. */
export interface RequestBody {
  /** The bytes that the body takes in memory. Texts are not counted, because templates limit them. */
  bytes: number;
  /** Undefined if the body does not say in which format it is. */
  contentType: string | undefined;
  /** Whether the format replaces one that the headers name. The boundary of a form has to be in it. */
  replacesHeader: boolean;
  /** The body for the record of the run, without the contents of files. */
  shown: Record<string, unknown>;
  /** Reads the files. The whole body is then in memory, so that the attempts of a node can repeat it. */
  read: () => Promise<string | Uint8Array | undefined>;
}

type PartContent = Pick<FormFile, 'bytes' | 'read'>;

interface Part {
  name: string;
  content: PartContent;
  contentType: string | undefined;
  filename?: string;
}

type Multipart = NonNullable<HttpNode['multipart']>;

/** Makes the bodies of HTTP requests: JSON, text, forms and files. */
@Injectable()
export class HttpBodies {
  constructor(private readonly files: FormFiles) {}

  /** Makes the body of which the templates are filled in. */
  async of(node: HttpNode, filled: JsonText | undefined, projectId: Id<'project'>): Promise<RequestBody> {
    if (node.multipart) return this.multipart(filled!.value, node.multipart, projectId);
    if (node.file !== undefined) return this.file(filled!.value, projectId);
    return plain(filled);
  }

  private async file(value: unknown, projectId: Id<'project'>): Promise<RequestBody> {
    const file = await this.files.of(value, { what: 'The body', projectId, maxBytes: MAX_FORM_BYTES });
    const { name, contentType, bytes } = file;
    const shown = { file: { name, contentType, bytes } };
    return { bytes, contentType, replacesHeader: false, shown, read: file.read };
  }

  /** Makes a form of `multipart/form-data`. Members that are null are left out, and lists become a part for each item. */
  private async multipart(
    fields: unknown,
    { files = [], types = {} }: Omit<Multipart, 'fields'>,
    projectId: Id<'project'>,
  ): Promise<RequestBody> {
    if (!isJsonObject(fields)) throw formInvalid('The fields of the form are not an object.');
    const items = Object.entries(fields).flatMap(([name, value]) => itemsOf(value).map((item) => ({ name, item })));
    if (items.length > MAX_PARTS)
      throw formInvalid(`The form has ${items.length} parts, and the limit is ${MAX_PARTS}.`);
    const parts: Part[] = [];
    const shown: object[] = [];
    let left = MAX_FORM_BYTES;
    for (const { name, item } of items) {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      if (files.includes(name)) {
        const given = { what: `The file ${name}`, projectId, maxBytes: left, type };
        const file = await this.files.of(item, given);
        const { name: filename, contentType, bytes } = file;
        parts.push({ name, content: file, contentType, filename });
        shown.push({ name, file: { name: filename, contentType, bytes } });
      } else {
        parts.push(fieldOf(name, item, type));
        shown.push({ name, value: item });
      }
      left -= parts.at(-1)!.content.bytes;
      if (left < 0) throw formTooLarge();
    }
    return { ...encoded(parts), replacesHeader: true, shown: { multipart: shown } };
  }
}

function plain(filled: JsonText | undefined): RequestBody {
  const json = filled?.text;
  const isText = json?.startsWith('"');
  const body = isText ? (filled!.value as string) : json;
  const contentType = json === undefined || isText ? undefined : 'application/json';
  return { bytes: 0, contentType, replacesHeader: false, shown: { body }, read: async () => body };
}

function itemsOf(value: unknown): unknown[] {
  return [value].flat().filter((item) => item !== null && item !== undefined);
}

function fieldOf(name: string, value: unknown, type: string | undefined): Part {
  const isText = typeof value === 'string' && !isJson(type);
  const content = inMemory(Buffer.from(isText ? value : JSON.stringify(value)));
  return { name, content, contentType: type ?? (typeof value === 'object' ? 'application/json' : undefined) };
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/([\w.+-]+\+)?json\b/i.test(type);
}

function encoded(parts: readonly Part[]): Pick<RequestBody, 'bytes' | 'contentType' | 'read'> {
  const boundary = `slipway-${randomUUID()}`;
  const pieces = parts.flatMap(({ name, content, contentType, filename }) => {
    const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
    const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`;
    return [inMemory(Buffer.from(head)), content, inMemory(Buffer.from('\r\n'))];
  });
  pieces.push(inMemory(Buffer.from(`--${boundary}--\r\n`)));
  return {
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    contentType: `multipart/form-data; boundary=${boundary}`,
    read: async () => {
      const contents: Buffer[] = [];
      for (const { read } of pieces) contents.push(await read());
      return Buffer.concat(contents);
    },
  };
}

function inMemory(content: Buffer): PartContent {
  return { bytes: content.length, read: async () => content };
}

/** Browsers escape names in this way. A line break in a name would otherwise begin another header. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
