import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { ProcessHeartbeat } from './process-heartbeat.js';
import { ProcessesAdminController } from './processes.admin.controller.js';
import { ServiceProcess } from './service-process.entity.js';

/** Knows which processes the installation has. */
@Module({
  imports: [MikroOrmModule.forFeature([ServiceProcess])],
  controllers: [ProcessesAdminController],
  providers: [ProcessHeartbeat],
})
export class ProcessesModule {}
