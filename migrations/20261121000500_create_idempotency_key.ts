import { Migration } from '@mikro-orm/migrations';

export class CreateIdempotencyKey extends Migration {
  override up(): void {
    // Neither the key nor the request can be read back, because both are digests.
    this.addSql(`
      create table idempotency_key (
        id text collate "C" primary key,
        fingerprint text collate "C" not null,
        attempt integer not null,
        lease_until timestamptz not null,
        answer_sealed text,
        created_at timestamptz not null
      )`);
    this.addSql(`create index idempotency_key_age on idempotency_key (created_at)`);
  }
}
