import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.js';
import type { SettingsOfTest } from '../support/settings.js';
import type { TestDatabase } from '../support/test-database.js';

/** Reads the folder of the storage and its tables directly, without the service. */
export class Store {
  readonly folder: string;

  constructor(
    settings: SettingsOfTest,
    private readonly database: TestDatabase,
  ) {
    this.folder = settings.STORAGE_URL ? fileURLToPath(settings.STORAGE_URL) : join(settings.DATA_DIR!, 'files');
  }

  /** Returns the names of all objects, including incomplete ones. */
  async names(): Promise<string[]> {
    return (await this.objects()).map(({ name }) => name).sort();
  }

  /** Returns the size of all objects together. */
  async bytes(): Promise<number> {
    const files = await Promise.all((await this.objects()).map((file) => stat(join(file.parentPath, file.name))));
    return files.reduce((sum, { size }) => sum + size, 0);
  }

  private async objects(): Promise<Dirent[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && entry.name.startsWith('ob-'));
  }

  async kept(): Promise<string[]> {
    const rows = await this.database.rows<{ object: string }>('select object from file_part order by object');
    return rows.map(({ object }) => object).sort();
  }

  unkept(): Promise<object[]> {
    return this.database.rows('select name from unkept_object');
  }

  /** Waits until the store has only objects of files and uploads, and no object has to be removed. */
  async untilNothingIsLeft(): Promise<void> {
    await eventually(
      async () => ({ stored: await this.names(), kept: await this.kept(), unkept: await this.unkept() }),
      ({ stored, kept, unkept }) => unkept.length === 0 && stored.join() === kept.join(),
    );
  }
}
