import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Statements } from '../database/statements.js';
import { StoragePlaceError } from './storage.errors.js';
import { Storage } from './storage.js';

/** At the start: all processes of one database keep contents in the same place, or this one does not start. */
@Injectable()
export class StoragePlace implements OnModuleInit {
  constructor(
    private readonly storage: Storage,
    private readonly statements: Statements,
  ) {}

  async onModuleInit(): Promise<void> {
    const mine = await this.storage.place();
    await this.statements.run('insert into storage_place (place) values ($1) on conflict do nothing', [mine]);
    const [row] = await this.statements.run<{ place: string }>('select place from storage_place');
    if (row?.place !== mine) throw new StoragePlaceError(refusal(row?.place ?? '', mine));
  }
}

function refusal(theirs: string, mine: string): string {
  return (
    `The files of this installation are in ${theirs}, and STORAGE_URL leads to ${mine}. All processes have to share ` +
    'one folder or bucket. Where you have moved the files yourself, move the folder whole, with its file ' +
    'slipway-storage; or, when they now are somewhere else altogether, say so: delete from storage_place.'
  );
}
