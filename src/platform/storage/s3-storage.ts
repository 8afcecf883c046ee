import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { newId } from '../../kernel/ids.js';
import { type ByteRange, type Content, Storage } from './storage.js';

interface S3Location {
  bucket: string;
  /** The beginning of all keys, where several installations share a bucket. */
  prefix: string;
  region: string;
  /** The address of a service that speaks S3 and is not Amazon's. */
  endpoint?: string | undefined;
  /** By default the client uses the credentials of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

const MARKER = 'slipway-storage';
/**
 * The size of a part. S3 requires the length of each request, so the content is collected in memory up to this size;
 * the minimum for a part is 5 MiB.
 */
const PART_BYTES = 8 * 1024 * 1024;

/** Stores contents in a bucket of S3 or of a compatible service. */
export class S3Storage extends Storage {
  private readonly client: S3Client;

  constructor(private readonly where: S3Location) {
    super();
    const { region, endpoint, credentials } = where;
    this.client = new S3Client({
      region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(credentials && { credentials }),
      // Not all compatible services support the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 3_000, socketTimeout: 30_000 },
      maxAttempts: 3,
    });
  }

  async location(): Promise<string> {
    const marker = this.object(MARKER);
    try {
      await this.client.send(new PutObjectCommand({ ...marker, Body: newId('storedObject'), IfNoneMatch: '*' }));
    } catch (error) {
      if ((error as { name?: string }).name !== 'PreconditionFailed') throw error;
    }
    const { Body } = await this.client.send(new GetObjectCommand(marker));
    return `s3:${await Body!.transformToString()}`;
  }

  async check(): Promise<void> {
    await this.client.send(new HeadBucketCommand({ Bucket: this.where.bucket }));
  }

  /** A bucket has no limit. */
  freeBytes(): Promise<null> {
    return Promise.resolve(null);
  }

  async write(name: string, content: Content): Promise<void> {
    const object = this.object(name);
    const pieces = inPieces(content);
    const first = (await pieces.next()).value ?? Buffer.alloc(0);
    if (first.length < PART_BYTES) {
      await this.client.send(new PutObjectCommand({ ...object, Body: first }));
      return;
    }
    const { UploadId } = await this.client.send(new CreateMultipartUploadCommand(object));
    try {
      const parts = [await this.sendPart(name, UploadId, 1, first)];
      for await (const piece of pieces) parts.push(await this.sendPart(name, UploadId, parts.length + 1, piece));
      const MultipartUpload = { Parts: parts };
      await this.client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload }));
    } catch (error) {
      await this.client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined);
      throw error;
    }
  }

  async read(name: string, { start, end }: ByteRange): Promise<Readable> {
    const Range = `bytes=${start}-${end}`;
    const { Body } = await this.client.send(new GetObjectCommand({ ...this.object(name), Range }));
    return Body as Readable;
  }

  async remove(name: string): Promise<void> {
    const { Bucket, Key } = this.object(name);
    const { Uploads = [] } = await this.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    for (const { UploadId } of Uploads) {
      await this.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
    await this.client.send(new DeleteObjectCommand({ Bucket, Key }));
  }

  private async sendPart(name: string, UploadId: string | undefined, PartNumber: number, Body: Buffer) {
    const part = { ...this.object(name), UploadId, PartNumber, Body };
    const { ETag } = await this.client.send(new UploadPartCommand(part));
    return { ETag, PartNumber };
  }

  private object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.where.bucket, Key: this.where.prefix + name };
  }
}

/** Splits the content into pieces of the size of a part; only the last one is smaller. */
async function* inPieces(content: Content): AsyncGenerator<Buffer, undefined> {
  let collected: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    collected.push(piece);
    size += piece.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(collected);
    collected = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(collected);
}
