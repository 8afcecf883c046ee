import { Injectable } from '@nestjs/common';

/** How often this process looks at fleets, and how patient it is with the system that runs them. Tests shorten it. */
@Injectable()
export class FleetPace {
  /** The interval between looks at a fleet that is not ready. */
  lookSoonMs = 1_000;
  /** The interval between looks at a fleet that is ready. */
  lookMs = 3_000;
  /** A start fails if no look succeeds for this long. */
  longestFaultMs = 6_000;
  /** The time after which a sweep that failed is tried again. */
  sweepAgainMs = 3_000;
}
