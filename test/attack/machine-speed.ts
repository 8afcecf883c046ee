/** The time that the work takes on a machine with two cores where `npm test` takes ten minutes. */
const REFERENCE_MS = 160;
const ROUNDS = 8;
const MOST = 3;

const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'x'.repeat(200) })));

/**
 * Returns how many times as long as the reference this machine takes, at least 1. The limits of the attacks are those
 * of a quiet machine, and the same work takes three times as long on some virtual machines that are quiet too.
 */
export function slownessOfThisMachine(): number {
  const took = Array.from({ length: ROUNDS }, timeOfOneRound).sort((a, b) => a - b);
  return Math.min(MOST, Math.max(1, took[ROUNDS >> 1]! / REFERENCE_MS));
}

/** Parses, writes and copies megabytes, as the service does with large bodies. */
function timeOfOneRound(): number {
  const begun = performance.now();
  for (let time = 0; time < 4; time += 1) {
    JSON.stringify(JSON.parse(text));
    Buffer.concat([Buffer.from(text), Buffer.from(text)]);
  }
  return performance.now() - begun;
}
