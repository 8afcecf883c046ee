import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ChosenStorage } from './chosen-storage.js';
import { DiskStorages } from './disk.js';
import { S3Storages } from './s3.js';
import { StorageCheck } from './storage.check.js';
import { StorageLocation } from './storage-location.js';
import { SweepStorage } from './storage.processor.js';
import { Storage } from './storage.js';
import { StoredObjects } from './stored-objects.js';

/** Stores contents that are too large for the database. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    DiskStorages,
    S3Storages,
    ChosenStorage,
    { provide: Storage, useExisting: ChosenStorage },
    StorageLocation,
    StoredObjects,
    SweepStorage,
    StorageCheck,
  ],
  exports: [Storage, StoredObjects],
})
export class StorageModule {}
