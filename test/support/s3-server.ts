import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of S3 that storage needs. Unlike other test servers, it checks signatures and parts. */
export interface S3Server {
  readonly endpoint: string;
  /** The settings of a service that keeps its files there. */
  readonly settings: Record<string, string>;
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Returns the keys of uploads in parts that are under way. */
  uploads(): string[];
  /** The answer to requests of this verb from now on; undefined restores the normal answers. */
  failing?: { verb: string; status: number; code: string } | undefined;
  stop(): Promise<void>;
}

const BUCKET = 'bucket';
const REGION = 'eu-test-1';
const MIN_PART_BYTES = 5 * 1024 * 1024;

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

interface Asked {
  verb: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

interface Answered {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export async function startS3(): Promise<S3Server> {
  const accessKey = 'AKTEST';
  const secretKey = randomBytes(20).toString('hex');
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();

  const answer = (asked: Asked): Answered => {
    const { verb, key, query, body } = asked;
    const upload = uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploadId') && upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
    switch (true) {
      case key === '' && verb === 'HEAD':
        return {};
      case key === '' && query.has('uploads'):
        return { body: listing(uploads, query.get('prefix') ?? '') };
      case verb === 'POST' && query.has('uploads'): {
        const id = randomBytes(8).toString('hex');
        uploads.set(id, { key, parts: new Map() });
        return { body: xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`) };
      }
      case verb === 'PUT' && upload !== undefined:
        upload.parts.set(Number(query.get('partNumber')), body);
        return { headers: { etag: tagOf(body) } };
      case verb === 'POST' && upload !== undefined:
        objects.set(key, joined(upload.parts, body.toString()));
        uploads.delete(query.get('uploadId')!);
        return { body: xml('CompleteMultipartUploadResult', `<Key>${key}</Key>`) };
      case verb === 'DELETE' && upload !== undefined:
        uploads.delete(query.get('uploadId')!);
        return { status: 204 };
      case verb === 'PUT':
        if (asked.headers['if-none-match'] === '*' && objects.has(key)) throw new Refusal(412, 'PreconditionFailed');
        objects.set(key, body);
        return { headers: { etag: tagOf(body) } };
      case verb === 'GET':
        return partOf(objects.get(key), asked.headers.range);
      case verb === 'DELETE':
        objects.delete(key);
        return { status: 204 };
      default:
        throw new Refusal(501, 'NotImplemented');
    }
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const { pathname, searchParams: query } = new URL(request.url!, 'http://s3');
    const verb = request.method!;
    try {
      checkSignature(request, pathname, query, body, { accessKey, secretKey });
      if (server.failing?.verb === verb) throw new Refusal(server.failing.status, server.failing.code);
      const [, bucket, ...rest] = pathname.split('/');
      if (bucket !== BUCKET) throw new Refusal(404, 'NoSuchBucket');
      const answered = answer({ verb, key: decodeURIComponent(rest.join('/')), query, headers: request.headers, body });
      response.writeHead(answered.status ?? 200, answered.headers).end(answered.body);
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : new Refusal(500, 'InternalError');
      response.writeHead(status).end(verb === 'HEAD' ? '' : xml('Error', `<Code>${code}</Code>`));
    }
  };

  const http = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: S3Server = {
    endpoint,
    objects,
    uploads: () => [...uploads.values()].map(({ key }) => key),
    settings: {
      STORAGE_URL: `s3://${BUCKET}/folder?region=${REGION}&endpoint=${encodeURIComponent(endpoint)}`,
      STORAGE_ACCESS_KEY: accessKey,
      STORAGE_SECRET_KEY: secretKey,
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}

/** Checks Signature Version 4 in the headers, as Amazon describes it, over the received bytes. */
function checkSignature(
  { method, headers }: IncomingMessage,
  path: string,
  query: URLSearchParams,
  body: Buffer,
  { accessKey, secretKey }: { accessKey: string; secretKey: string },
): void {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;
  const [, key, day = '', region = '', names = '', signature] = given.exec(headers.authorization ?? '') ?? [];
  if (key !== accessKey) throw new Refusal(403, 'InvalidAccessKeyId');
  const digest = String(headers['x-amz-content-sha256']);
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [
    method,
    path,
    [...query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    digest,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(Buffer.from(canonical))].join('\n');
  const signingKey = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`));
  if (hmac(signingKey, text).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch');
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
const xml = (name: string, content: string) => `<?xml version="1.0"?><${name}>${content}</${name}>`;

function listing(uploads: Map<string, { key: string }>, prefix: string): string {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
  const entries = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  return xml('ListMultipartUploadsResult', entries.join(''));
}

/** Joins the parts that the request names. Each must be as it was sent, and all but the last must be large enough. */
function joined(parts: Map<number, Buffer>, request: string): Buffer {
  const named = [...request.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => {
    const bytes = parts.get(Number(/<PartNumber>(\d+)/.exec(part)?.[1]));
    const tag = /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll('&quot;', '"');
    if (!bytes || tag !== tagOf(bytes)) throw new Refusal(400, 'InvalidPart');
    return bytes;
  });
  if (named.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES)) throw new Refusal(400, 'EntityTooSmall');
  return Buffer.concat(named);
}

function partOf(object: Buffer | undefined, range: string | undefined): Answered {
  if (!object) throw new Refusal(404, 'NoSuchKey');
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (first === undefined) return { body: object };
  if (Number(first) >= object.length) throw new Refusal(416, 'InvalidRange');
  const body = object.subarray(Number(first), Number(last) + 1);
  const headers = { 'content-range': `bytes ${first}-${Number(first) + body.length - 1}/${object.length}` };
  return { status: 206, headers, body };
}
