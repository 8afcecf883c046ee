import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '../database/database.errors.js';
import { Statements } from '../database/statements.js';
import type { Lane } from './job.entity.js';
import { type Given, givePlace, lanesInLine } from './lane.statements.js';

/** So often a place may be given that another has, or gives away, at that moment. */
const TRIES = 5;

/** Lanes: who has a place, and who stands in line for one. */
@Injectable()
export class Lanes {
  constructor(private readonly statements: Statements) {}

  /** Gives the lane's free places to those who are first in line. False when there was none to give, or nobody. */
  async serve(lane: Lane): Promise<boolean> {
    let isServed = false;
    let lost = 0;
    // What they leave undone who lose too often, the workers find when they look.
    while (lost < TRIES) {
      const given = await this.givePlace(lane);
      if (given === null) lost += 1;
      else isServed ||= given.isGiven;
      if (given && !given.hasMore) break;
    }
    return isServed;
  }

  /** Lanes that have a free place and somebody in line for it: of so many lanes, by name, after the one given. */
  async neglected(after: string, limit: number): Promise<{ lanes: Lane[]; last: string }> {
    const found = await this.statements.ask(lanesInLine(after, limit));
    return {
      lanes: found.filter(({ isNeglected }) => isNeglected),
      last: found.length === limit ? found.at(-1)!.lane : '',
    };
  }

  /** Null where another process has given the place, or holds it, at this moment. */
  private async givePlace(lane: Lane): Promise<Given | null> {
    try {
      return await this.statements.ask(givePlace(lane));
    } catch (error) {
      if (isPlaceTaken(error) || isLockTimeout(error)) return null;
      throw error;
    }
  }
}

function isPlaceTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'job_place';
}
