import { Settings } from '../config/settings.js';
import type { Storage } from './storage.js';
import { StorageKind, StoresContents } from './storage-kind.js';

/** The parameters that an address may have. */
const PARAMETERS = ['region', 'endpoint'];

/** Opens buckets, such as `s3://bucket/folder?region=eu-central-1`. */
@StoresContents({ scheme: 's3' })
export class S3Storages extends StorageKind {
  constructor(private readonly settings: Settings) {
    super();
  }

  async open(url: URL): Promise<Storage> {
    if (url.hostname === '') throw new Error('must have a bucket after s3://, such as s3://bucket/folder.');
    const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
    if (unknown !== undefined)
      throw new Error(`has the unknown parameter ${unknown}; the known ones are ${PARAMETERS.join(' and ')}.`);
    const endpoint = url.searchParams.get('endpoint') ?? undefined;
    if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
      throw new Error('must have an http:// or https:// address as its endpoint.');
    const { STORAGE_ACCESS_KEY: accessKeyId, STORAGE_SECRET_KEY: secretAccessKey } = this.settings;
    const folder = url.pathname.replace(/^\/|\/$/g, '');
    // The client of S3 is large, and most installations do not need it.
    const { S3Storage } = await import('./s3-storage.js');
    return new S3Storage({
      bucket: url.hostname,
      prefix: folder && `${folder}/`,
      region: url.searchParams.get('region') ?? 'us-east-1',
      endpoint,
      credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    });
  }
}
