import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { ChangeLog } from '../database/change-log.js';
import { AuditAdminController } from './audit.admin.controller.js';
import { AuditEntry } from './audit-entry.entity.js';
import { AuditTrail } from './audit-trail.js';

/** The audit: `Database` writes it with each transaction, and administrators read it. */
@Global()
@Module({
  imports: [MikroOrmModule.forFeature([AuditEntry])],
  controllers: [AuditAdminController],
  providers: [AuditTrail, { provide: ChangeLog, useExisting: AuditTrail }],
  exports: [AuditTrail, ChangeLog],
})
export class AuditModule {}
