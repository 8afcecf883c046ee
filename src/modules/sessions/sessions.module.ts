import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FilesModule } from '../files/files.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { AttachmentsController } from './attachments/attachments.controller.js';
import { AttachmentsService } from './attachments/attachments.service.js';
import { SessionCounting } from './list/counting.service.js';
import { SessionEnding } from './ending.service.js';
import { Erasure } from './erasure/erasure.entity.js';
import { ErasureService } from './erasure/erasure.service.js';
import { MemoryEntry } from './memory/memory-entry.entity.js';
import { Attachment, Session } from './session.entity.js';
import { SessionCountRepository } from './list/session-count.repository.js';
import { SessionMemory } from './memory/session-memory.service.js';
import { SessionSettingsAdminController } from './attachments/session-settings.admin.controller.js';
import { SessionSettings } from './attachments/session-settings.entity.js';
import { SessionSettingsService } from './attachments/session-settings.service.js';
import { SessionKeepers } from './erasure/session-keepers.js';
import { SessionsReading } from './list/sessions-reading.service.js';
import { SessionsController } from './sessions.controller.js';
import { CloseSession, CountSessions, EraseUser, ExpireSessions } from './sessions.processor.js';
import './sessions.retention.js';
import { SessionsService } from './sessions.service.js';
import { User } from './user.entity.js';
import { UsersAdminController } from './erasure/users.admin.controller.js';

/** Conversations. Their content is the concern of the module that implements `ConversationScript`. */
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    FilesModule,
    TracesModule,
    LedgerModule,
    MikroOrmModule.forFeature([Session, Attachment, User, MemoryEntry, Erasure, SessionSettings]),
  ],
  controllers: [SessionsController, SessionSettingsAdminController, AttachmentsController, UsersAdminController],
  providers: [
    SessionsService,
    SessionsReading,
    SessionEnding,
    SessionMemory,
    SessionSettingsService,
    SessionKeepers,
    SessionCountRepository,
    SessionCounting,
    CloseSession,
    CountSessions,
    ExpireSessions,
    EraseUser,
    ErasureService,
    AttachmentsService,
  ],
  exports: [SessionsService, SessionMemory],
})
export class SessionsModule {}
