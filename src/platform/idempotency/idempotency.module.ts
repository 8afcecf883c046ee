import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyStore } from './idempotency-store.js';

@Global()
@Module({ providers: [Idempotency, IdempotencyStore], exports: [Idempotency] })
export class IdempotencyModule {}
