import { Module } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ComputeModule } from './compute/compute.module.js';
import { ConfigModule } from './config/config.module.js';
import { CryptoModule } from './crypto/crypto.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EventsModule } from './events/events.module.js';
import { FrontModule } from './front/front.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { LinksModule } from './links/links.module.js';
import { MemoryModule } from './memory/memory.module.js';
import { OutboundModule } from './outbound/outbound.module.js';
import { ProcessesModule } from './processes/processes.module.js';
import { QueueModule } from './queue/queue.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RedisModule } from './redis/redis.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { StorageModule } from './storage/storage.module.js';
import { TemplateModule } from './template/template.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { TransferModule } from './transfer/transfer.module.js';

@Module({
  imports: [
    ConfigModule,
    TelemetryModule,
    CryptoModule,
    DatabaseModule,
    AuditModule,
    StorageModule,
    RedisModule,
    RateLimitModule,
    QueueModule,
    EventsModule,
    LinksModule,
    ComputeModule,
    TemplateModule,
    MemoryModule,
    OutboundModule,
    RetentionModule,
    TransferModule,
    AuthModule,
    IdempotencyModule,
    HttpModule,
    HealthModule,
    ProcessesModule,
    MetricsModule,
    FrontModule,
  ],
})
export class PlatformModule {}
