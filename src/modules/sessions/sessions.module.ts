import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FilesModule } from '../files/files.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { AttachmentStore } from './attachment-store.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsService } from './attachments.service.js';
import { CountStore } from './count-store.js';
import { SessionCounting } from './counting.service.js';
import { SessionEnding } from './ending.service.js';
import { ErasureStore } from './erasure-store.js';
import { ErasureService } from './erasure.service.js';
import { SessionOpening } from './opening.service.js';
import { SessionMemory } from './session-memory.service.js';
import { SessionSettingsAdminController } from './session-settings.admin.controller.js';
import { SessionSettings } from './session-settings.entity.js';
import { SessionSettingsService } from './session-settings.service.js';
import { SessionSettingsStore } from './session-settings-store.js';
import { SessionKeepers } from './session-keepers.js';
import { SessionStore } from './session-store.js';
import { SessionTotals } from './session-totals.service.js';
import { SessionsReading } from './sessions-reading.service.js';
import { SessionsController } from './sessions.controller.js';
import { CloseSession, CountSessions, EraseUser, ExpireSessions } from './sessions.processor.js';
import './sessions.retention.js';
import { SessionsService } from './sessions.service.js';
import { UsersAdminController } from './users.admin.controller.js';

/** Conversations. What is said in them is for whoever implements ConversationScript. */
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    FilesModule,
    TracesModule,
    LedgerModule,
    MikroOrmModule.forFeature([SessionSettings]),
  ],
  controllers: [SessionsController, SessionSettingsAdminController, AttachmentsController, UsersAdminController],
  providers: [
    SessionsService,
    SessionsReading,
    SessionOpening,
    SessionEnding,
    SessionMemory,
    SessionTotals,
    SessionSettingsService,
    SessionSettingsStore,
    SessionKeepers,
    SessionStore,
    AttachmentStore,
    CountStore,
    SessionCounting,
    CloseSession,
    CountSessions,
    ExpireSessions,
    EraseUser,
    ErasureService,
    ErasureStore,
    AttachmentsService,
  ],
  exports: [SessionsService, SessionMemory, SessionTotals],
})
export class SessionsModule {}
