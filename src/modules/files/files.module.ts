import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../../platform/http/http.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { FileContents } from './file-contents.js';
import { FileLinks } from './file-links.js';
import { File } from './file.entity.js';
import { FilePart } from './file-part.entity.js';
import { FilesAdminController } from './files.admin.controller.js';
import { FilesController } from './files.controller.js';
import { ChunkReceiver, FileReceiver } from './files.receivers.js';
import { FilesService } from './files.service.js';
import { ProjectStorage } from './project-storage.entity.js';
import { StorageProblems } from './storage-problems.js';
import { StorageQuota } from './storage-quota.js';
import { TusController } from './tus/tus.controller.js';
import { FirstBytesReceiver, TusReceiver } from './tus/tus.receivers.js';
import { TusService } from './tus/tus.service.js';
import { UploadContexts } from './upload-contexts.js';
import { UploadSession } from './upload-session.entity.js';
import { UploadsController } from './uploads.controller.js';
import { ExpireUploads } from './files.processor.js';
import { UploadsService } from './uploads.service.js';
import './files.retention.js';

@Module({
  imports: [
    TenancyModule,
    HttpModule,
    DiscoveryModule,
    MikroOrmModule.forFeature([File, FilePart, UploadSession, ProjectStorage]),
  ],
  // The list of uploads has to be found before the file of any id.
  controllers: [UploadsController, FilesController, TusController, FilesAdminController],
  providers: [
    FilesService,
    UploadsService,
    UploadContexts,
    ExpireUploads,
    FileReceiver,
    ChunkReceiver,
    TusReceiver,
    FirstBytesReceiver,
    TusService,
    FileContents,
    FileLinks,
    StorageQuota,
    StorageProblems,
  ],
  exports: [FilesService],
})
export class FilesModule {}
