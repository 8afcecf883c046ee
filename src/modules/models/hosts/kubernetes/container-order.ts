import { z } from 'zod';

const whole = z.int().positive();

/** The argument of a replica's program in a container. The Secret in `accessFolder` has its token and its links. */
export const ContainerOrder = z.object({
  /** The address to listen on. The default is all addresses. */
  address: z.string().optional(),
  port: z.int(),
  modelsFolder: z.string(),
  accessFolder: z.string(),
  terminationLog: z.string(),
  /** The time for which a replica that is asked to stop still takes calls, until the cluster sends it none. */
  stopDelaySeconds: z.int().nonnegative(),
  /** The path of the model in its archive; null if the file is the model itself. */
  modelEntry: z.string().nullable(),
  adapter: z.object({ entry: z.string().nullable() }).nullable(),
  sequences: whole,
  contextTokens: whole,
  threads: whole,
});
export type ContainerOrder = z.infer<typeof ContainerOrder>;
