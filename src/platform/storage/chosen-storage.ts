import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartError } from '../../kernel/start-error.js';
import { Settings } from '../config/settings.js';
import { type ByteRange, type Content, Storage } from './storage.js';
import { storageKinds } from './storage-kind.js';

/** The storage at `STORAGE_URL`. It is opened when all providers are there, because a module may bring its kind. */
@Injectable()
export class ChosenStorage extends Storage {
  private readonly url: URL;
  private opened: Promise<Storage> | undefined;

  constructor(
    { STORAGE_URL, DATA_DIR }: Settings,
    private readonly discovery: DiscoveryService,
  ) {
    super();
    this.url = STORAGE_URL ?? pathToFileURL(resolve(join(DATA_DIR, 'files')));
    if (!storageKinds.get(schemeOf(this.url))) throw new StartError(refusalOf(this.url));
  }

  /** Ends the start with a sentence if the address is wrong. Nothing has been changed then. */
  async refuseWrongAddress(): Promise<void> {
    await this.storage;
  }

  override async location(): Promise<string> {
    return (await this.storage).location();
  }

  override async check(): Promise<void> {
    return (await this.storage).check();
  }

  override async freeBytes(): Promise<number | null> {
    return (await this.storage).freeBytes();
  }

  override async write(name: string, content: Content): Promise<void> {
    return (await this.storage).write(name, content);
  }

  override async read(name: string, range: ByteRange): Promise<Readable> {
    return (await this.storage).read(name, range);
  }

  override async remove(name: string): Promise<void> {
    return (await this.storage).remove(name);
  }

  private get storage(): Promise<Storage> {
    this.opened ??= this.open();
    return this.opened;
  }

  private async open(): Promise<Storage> {
    const kind = storageKinds.find(this.discovery, (_, found) => found).get(schemeOf(this.url))!;
    try {
      return await kind.open(this.url);
    } catch (error) {
      throw new StartError(`STORAGE_URL ${(error as Error).message}`, { cause: error });
    }
  }
}

const schemeOf = ({ protocol }: URL) => protocol.slice(0, -1);

function refusalOf(url: URL): string {
  const schemes = storageKinds.all().map(({ scheme }) => `${scheme}:`);
  return `STORAGE_URL begins with ${schemeOf(url)}:, and has to begin with one of ${schemes.join(', ')}.`;
}
