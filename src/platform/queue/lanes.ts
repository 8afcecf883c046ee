import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '../database/database.errors.js';
import { Statements } from '../database/statements.js';
import type { Lane } from './job.entity.js';
import { type Given, givePlace, lanesWithQueue } from './lane.statements.js';

/** How often a place may be lost to another process, which takes or locks it at the same moment. */
const TRIES = 5;

/** Gives the places of lanes to the jobs that are queued for them. */
@Injectable()
export class Lanes {
  constructor(private readonly statements: Statements) {}

  /**
   * Gives the lane's free places to the jobs that are queued first. Returns false if there was no place to give, or no
   * job for it.
   */
  async serve(lane: Lane): Promise<boolean> {
    let isServed = false;
    let lost = 0;
    // After `TRIES` collisions the lane is left to the recovery of a worker.
    while (lost < TRIES) {
      const given = await this.givePlace(lane);
      if (given === null) lost += 1;
      else isServed ||= given.isGiven;
      if (given && !given.hasMore) break;
    }
    return isServed;
  }

  /**
   * Finds the lanes that have a free place and a queued job for it, among the next ones by name after the given lane.
   * `last` is the lane to go on after, or '' at the end of the list.
   */
  async neglected(after: string, limit: number): Promise<{ lanes: Lane[]; last: string }> {
    const found = await this.statements.ask(lanesWithQueue(after, limit));
    return {
      lanes: found.filter(({ isNeglected }) => isNeglected),
      last: found.length === limit ? found.at(-1)!.lane : '',
    };
  }

  /** Returns null if another process takes or locks the place at this moment. */
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
