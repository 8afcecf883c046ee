/** Returns one of the faces. */
export type Dice = <T>(faces: readonly T[]) => T;

/** Makes the same throws in every run, so that a failure can be repeated. */
export function dice(seed: number): Dice {
  let state = seed;
  return (faces) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return faces[Math.floor((state / 2 ** 32) * faces.length)]!;
  };
}
