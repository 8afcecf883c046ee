/** The time limit of one attempt at a node, which may take several requests. */
export class AttemptTime {
  private readonly deadline: number;

  constructor(timeoutMs: number) {
    this.deadline = performance.now() + timeoutMs;
  }

  /** The milliseconds that are left. One is the least that a request can have. */
  get leftMs(): number {
    return Math.max(1, Math.round(this.deadline - performance.now()));
  }
}
