import { Migration } from '@mikro-orm/migrations';

/** A place is for jobs that are wide enough: those who are not are not looked through to find the first who is. */
export class IndexLinesByWidth extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What an interrupted attempt left would count as made.
    this.addSql('drop index concurrently if exists job_in_line_by_width');
    this.addSql(`
      create index concurrently job_in_line_by_width on job (lane, width, run_at, seq)
      where state = 'queued' and place is null and width > 1`);
  }
}
