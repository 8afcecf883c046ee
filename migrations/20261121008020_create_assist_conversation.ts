import { Migration } from '@mikro-orm/migrations';

export class CreateAssistConversation extends Migration {
  override up(): void {
    // There is no foreign key to the bot: after a bot is deleted, its conversations are deleted a few at a time.
    // active_on is the day of last_at. An event changes no indexed column, so that events cost little.
    this.addSql(`
      create table assist_conversation (
        bot_id text collate "C" not null,
        id text collate "C" not null,
        project_id text collate "C" not null,
        status text not null check (status in ('waiting', 'active', 'transferring', 'left', 'ended')),
        state text not null,
        last_seq integer not null,
        messages integer not null,
        repeats integer not null,
        violations integer not null,
        started_at timestamptz not null,
        last_at timestamptz not null,
        ended_at timestamptz,
        active_on timestamptz not null,
        primary key (bot_id, id)
      ) with (fillfactor = 80)`);
    this.addSql(`create index assist_conversation_list on assist_conversation (bot_id, started_at desc, id desc)`);
    this.addSql(`create index assist_conversation_age on assist_conversation (active_on)`);
    this.addSql(`create index assist_conversation_project on assist_conversation (project_id, active_on)`);
    this.addSql(`
      create table assist_event (
        bot_id text collate "C" not null,
        conversation_id text collate "C" not null,
        seq integer not null,
        kind text not null check (kind in ('message', 'entry', 'exit', 'summary', 'end')),
        at timestamptz not null,
        agent_identity text collate "C",
        agent_name text,
        transfer_type text,
        author text,
        said text,
        is_sent boolean,
        language text,
        active text[],
        left_at timestamptz,
        violations text[] not null,
        repeats integer not null,
        payload text not null,
        call text,
        proposal text,
        primary key (bot_id, conversation_id, seq),
        foreign key (bot_id, conversation_id) references assist_conversation on delete cascade
      )`);
    this.addSql(
      `create index assist_event_message on assist_event (bot_id, conversation_id, seq) where kind = 'message'`,
    );
    this.addSql(`create index assist_event_entry on assist_event (bot_id, conversation_id, seq) where kind = 'entry'`);
    this.addSql(`create index assist_event_agent on assist_event (bot_id, agent_identity) where kind = 'entry'`);
    this.addSql(
      `create index assist_event_violation on assist_event (bot_id, conversation_id, seq) where violations <> '{}'`,
    );
    this.addSql(
      `create index assist_event_said on assist_event using gin (to_tsvector('simple', said)) where said is not null`,
    );
    this.addSql(`
      create table assist_summary (
        bot_id text collate "C" not null,
        conversation_id text collate "C" not null,
        seq integer not null,
        language text not null,
        locale text not null,
        type text not null,
        status text not null check (status in ('pending', 'ready')),
        made_by text check (made_by in ('model', 'transcript')),
        text text,
        asked_at timestamptz not null,
        made_at timestamptz,
        primary key (bot_id, conversation_id, seq),
        foreign key (bot_id, conversation_id) references assist_conversation on delete cascade
      )`);
  }
}
