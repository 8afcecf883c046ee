import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StartError } from '../../kernel/start-error.js';
import { Database } from '../database/database.js';
import { sql } from '../database/sql.js';
import { theRow, type Statement, write } from '../database/statement.js';
import { Storage } from './storage.js';

/**
 * Checks at the start that all processes of one database use the same storage location. A process with another location
 * does not start.
 */
@Injectable()
export class StorageLocation implements OnModuleInit {
  constructor(
    private readonly storage: Storage,
    private readonly database: Database,
  ) {}

  async onModuleInit(): Promise<void> {
    const mine = await this.storage.location();
    await this.database.ask(claim(mine));
    const agreed = await this.database.ask(read());
    if (agreed !== mine) throw new StartError(refusal(agreed, mine));
  }
}

/** The first process of an installation records where the contents are. */
function claim(location: string): Statement<void> {
  return write(sql`insert into storage_place (place) values (${location}) on conflict do nothing`);
}

function read(): Statement<string> {
  return theRow<{ location: string }>(sql`select place as location from storage_place`).as(({ location }) => location);
}

function refusal(theirs: string, mine: string): string {
  return (
    `The files of this installation are in ${theirs}, and STORAGE_URL leads to ${mine}. All processes have to share ` +
    'one place. If you moved a folder, move all of it, with its file slipway-storage. If the files are ' +
    'now in another place, confirm it in the database: delete from storage_place.'
  );
}
