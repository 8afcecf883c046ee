import { Migration } from '@mikro-orm/migrations';

export class CreateWebhooks extends Migration {
  override up(): void {
    // The state of the receiver (failures, failing_since, paused_until) is not configuration. Only SQL writes it.
    this.addSql(`
      create table webhook_subscription (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        app_id text collate "C" not null references app,
        environment text not null check (environment in ('development', 'staging', 'production', 'working-copy')),
        display_name text not null,
        callback_url text not null,
        events text[] not null check (cardinality(events) > 0),
        status text not null check (status in ('ACTIVE', 'DISABLED')),
        disabled_reason text,
        disabled_at timestamptz,
        secret_sealed text not null,
        previous_secret_sealed text,
        previous_secret_until timestamptz,
        failures integer not null default 0,
        failing_since timestamptz,
        paused_until timestamptz,
        created_at timestamptz not null,
        modified_at timestamptz not null,
        check ((status = 'DISABLED') = (disabled_at is not null)),
        check ((previous_secret_sealed is null) = (previous_secret_until is null))
      )`);
    this.addSql(`create index webhook_subscription_project on webhook_subscription (project_id, id)`);
    this.addSql(`create index webhook_subscription_app on webhook_subscription (app_id)`);

    // These tables have no foreign key to subscription or project, because what was sent stays readable for its
    // retention period after they are deleted.
    this.addSql(`
      create table webhook_message (
        id text collate "C" primary key,
        project_id text collate "C" not null,
        subscription_id text collate "C" not null,
        run_id text collate "C" not null,
        session_id text collate "C" not null,
        session_key text not null,
        metadata text,
        status text not null check (status in ('accepted', 'processing', 'suspended', 'completed', 'failed')),
        error_code text,
        error_message text,
        created_at timestamptz not null,
        finished_at timestamptz,
        check ((status in ('completed', 'failed')) = (finished_at is not null))
      )`);
    this.addSql(`create index webhook_message_ended on webhook_message (finished_at) where finished_at is not null`);
    this.addSql(`
      create index webhook_message_project_ended on webhook_message (project_id, finished_at)
      where finished_at is not null`);

    // The body is text, because the bytes that are sent must be those that were signed, however late they are sent.
    this.addSql(`
      create table webhook_delivery (
        id text collate "C" primary key,
        project_id text collate "C" not null,
        subscription_id text collate "C" not null,
        message_id text collate "C",
        event_id text collate "C" not null,
        event text not null,
        body text not null,
        status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
        attempts integer not null,
        attempts_since_replay integer not null,
        next_attempt_at timestamptz,
        last_error text,
        created_at timestamptz not null,
        ended_at timestamptz,
        check ((status = 'PENDING') = (ended_at is null))
      )`);
    this.addSql(`create index webhook_delivery_subscription on webhook_delivery (subscription_id, id)`);
    this.addSql(
      `create index webhook_delivery_message on webhook_delivery (message_id, id) where message_id is not null`,
    );
    this.addSql(`create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null`);
    this.addSql(`
      create index webhook_delivery_project_ended on webhook_delivery (project_id, ended_at) where ended_at is not null`);
    this.addSql(`
      create index webhook_delivery_failed on webhook_delivery (subscription_id, ended_at) where status = 'FAILED'`);

    this.addSql(`
      create table webhook_attempt (
        delivery_id text collate "C" not null references webhook_delivery on delete cascade,
        number integer not null,
        at timestamptz not null,
        status integer,
        latency_ms integer not null,
        error text,
        answer text,
        primary key (delivery_id, number)
      )`);
  }
}
