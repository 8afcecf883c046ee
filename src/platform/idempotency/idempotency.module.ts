import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { StoredAnswers } from './stored-answers.js';

@Global()
@Module({
  imports: [MikroOrmModule.forFeature([IdempotencyKey])],
  providers: [Idempotency, StoredAnswers],
  exports: [Idempotency],
})
export class IdempotencyModule {}
