import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { KeptAnswers } from './kept-answers.js';

@Global()
@Module({
  imports: [MikroOrmModule.forFeature([IdempotencyKey])],
  providers: [Idempotency, KeptAnswers],
  exports: [Idempotency],
})
export class IdempotencyModule {}
