import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Readable } from 'node:stream';
import { StartError } from '../../kernel/start-error.js';
import { Settings } from '../config/settings.js';
import { type ByteRange, type Content, Storage } from './storage.js';
import { storageKinds } from './storage-kind.js';

/** The storage at `STORAGE_URL`. It is opened when it is first used, because all modules are loaded by then. */
@Injectable()
export class ChosenStorage extends Storage {
  private opened: Storage | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  override location(): Promise<string> {
    return this.storage.location();
  }

  override check(): Promise<void> {
    return this.storage.check();
  }

  override freeBytes(): Promise<number | null> {
    return this.storage.freeBytes();
  }

  override write(name: string, content: Content): Promise<void> {
    return this.storage.write(name, content);
  }

  override read(name: string, range: ByteRange): Promise<Readable> {
    return this.storage.read(name, range);
  }

  override remove(name: string): Promise<void> {
    return this.storage.remove(name);
  }

  private get storage(): Storage {
    this.opened ??= this.open();
    return this.opened;
  }

  private open(): Storage {
    const { STORAGE_URL, DATA_DIR } = this.settings;
    const url = STORAGE_URL ?? pathToFileURL(resolve(join(DATA_DIR, 'files')));
    const kinds = storageKinds.find(this.discovery, (_, kind) => kind);
    const scheme = url.protocol.slice(0, -1);
    const kind = kinds.get(scheme);
    if (!kind)
      throw new StartError(`STORAGE_URL begins with ${scheme}:, and has to begin with one of ${listed(kinds)}.`);
    try {
      return kind.open(url);
    } catch (error) {
      throw new StartError(`STORAGE_URL ${(error as Error).message}`, { cause: error });
    }
  }
}

const listed = (kinds: ReadonlyMap<string, unknown>) => [...kinds.keys()].map((scheme) => `${scheme}:`).join(', ');
