import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { storageAt } from './storage-at.js';
import { StorageCheck } from './storage.check.js';
import { StorageLocation } from './storage-location.js';
import { SweepStorage } from './storage.processor.js';
import { Storage } from './storage.js';
import { StoredObjects } from './stored-objects.js';

/** Stores contents that are too large for the database. */
@Global()
@Module({
  providers: [
    { provide: Storage, useFactory: storageAt, inject: [Settings] },
    StorageLocation,
    StoredObjects,
    SweepStorage,
    StorageCheck,
  ],
  exports: [Storage, StoredObjects],
})
export class StorageModule {}
