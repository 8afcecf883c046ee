import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../config/settings.js';
import { DiskStorage } from './disk.js';
import { S3Storage } from './s3.js';
import type { Storage } from './storage.js';

/** Makes the storage that the settings name. Another kind of storage is a new file in this folder and a line here. */
export function storageAt({ STORAGE_URL: url, DATA_DIR, ...settings }: Settings): Storage {
  if (!url) return new DiskStorage(join(DATA_DIR, 'files'));
  if (url.protocol === 'file:') return new DiskStorage(fileURLToPath(url));
  const { STORAGE_ACCESS_KEY: accessKeyId, STORAGE_SECRET_KEY: secretAccessKey } = settings;
  const folder = url.pathname.replace(/^\/|\/$/g, '');
  return new S3Storage({
    bucket: url.hostname,
    prefix: folder && `${folder}/`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  });
}
