import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MasterKeys } from '../config/master-keys.js';
import { Settings } from '../config/settings.js';
import { decrypt, encrypt, KEY_BYTES } from './aes-gcm.js';
import { doesNotOpen, unknownMasterKey } from './sealed-text-error.js';
import type { SealedColumn } from './sealed-column.js';

const VERSION = 'v1';

/** `v1.<number of the master key>.<data key, encrypted under it>.<text, encrypted under the data key>` */
const SEALED = /^v1\.([1-9]\d{0,5})\.([\w-]+)\.([\w-]+)$/;

interface Parts {
  masterKey: number;
  wrappedKey: string;
  content: string;
}

/**
 * Seals secrets that have to be read again. Each has its own data key, which a master key wraps. Both are bound to
 * their column and record, so that a sealed text does not open anywhere else.
 */
@Injectable()
export class Vault {
  private readonly masterKeys: MasterKeys;

  constructor({ SLIPWAY_MASTER_KEYS }: Settings) {
    this.masterKeys = SLIPWAY_MASTER_KEYS;
  }

  /** The number of the master key that seals. */
  get sealingKey(): number {
    return this.masterKeys.sealing;
  }

  /** The numbers of the master keys that open, in order. */
  get keyNumbers(): number[] {
    return [...this.masterKeys.byNumber.keys()].sort((a, b) => a - b);
  }

  seal(text: string, column: SealedColumn, id: string): string {
    const dataKey = randomBytes(KEY_BYTES);
    const content = encrypt(dataKey, Buffer.from(text), boundTo(column, id));
    return this.wrap(dataKey, content, column, id);
  }

  /** Throws a SealedTextError if the text does not open. */
  open(sealed: string, column: SealedColumn, id: string): string {
    const parts = split(sealed, column, id);
    const dataKey = this.unwrap(parts, column, id);
    return orRefuse(column, id, () => decrypt(dataKey, parts.content, boundTo(column, id))).toString();
  }

  /** Wraps the data key under the master key that seals. The text itself is not opened. */
  rewrap(sealed: string, column: SealedColumn, id: string): string {
    const parts = split(sealed, column, id);
    return this.wrap(this.unwrap(parts, column, id), parts.content, column, id);
  }

  private wrap(dataKey: Buffer, content: string, column: SealedColumn, id: string): string {
    const { byNumber, sealing } = this.masterKeys;
    return [VERSION, sealing, encrypt(byNumber.get(sealing)!, dataKey, boundTo(column, id)), content].join('.');
  }

  private unwrap({ masterKey, wrappedKey }: Parts, column: SealedColumn, id: string): Buffer {
    const key = this.masterKeys.byNumber.get(masterKey);
    if (!key) throw unknownMasterKey(column, id, masterKey);
    return orRefuse(column, id, () => decrypt(key, wrappedKey, boundTo(column, id)));
  }
}

function split(sealed: string, column: SealedColumn, id: string): Parts {
  const [, masterKey = '', wrappedKey = '', content = ''] = SEALED.exec(sealed) ?? [];
  if (!content) throw doesNotOpen(column, id);
  return { masterKey: Number(masterKey), wrappedKey, content };
}

function boundTo({ table, column }: SealedColumn, id: string): Buffer {
  return Buffer.from(JSON.stringify([VERSION, table, column, id]));
}

function orRefuse<T>(column: SealedColumn, id: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw doesNotOpen(column, id, cause);
  }
}
