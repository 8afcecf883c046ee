import { chat } from './chat.js';
import { codeHosting } from './code-hosting.js';
import { design } from './design.js';
import { models } from './models.js';
import { storage } from './storage.js';
import { telephony } from './telephony.js';
import type { Shape } from './shape.js';

/**
 * Documents with what is particular about those of six well-known makers, and written by ourselves, because theirs are
 * large and not ours.
 */
export const SHAPES: Record<string, (server: string) => Shape> = {
  'code hosting: 1,223 operations and over 2 MB of JSON': () => codeHosting(1_223),
  'telephony: forms, with a server for each path': telephony,
  'chat: OpenAPI 3.1 in YAML, with files beside JSON': chat,
  'design: servers with variables, and alternative credentials': design,
  'storage: files beside their attributes, and a server for each operation': storage,
  'models: YAML with unions and circles': models,
};
