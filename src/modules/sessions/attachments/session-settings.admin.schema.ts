import { z } from 'zod';
import { definedMembers } from '../../../kernel/defined-members.js';
import type { FileUploadConfig } from './session-settings.entity.js';

const maxFileCount = z
  .int()
  .min(0)
  .max(1_000)
  .describe('The maximum number of files of a session.')
  .meta({ examples: [10] });
const maxFileSize = z
  .int()
  .min(1)
  .max(10_240)
  .describe('The maximum size of a file in MB.')
  .meta({ examples: [25] });
const maxTokens = z
  .int()
  .min(0)
  .max(10_000_000)
  .describe('The maximum number of tokens of all files of a session.')
  .meta({ examples: [100_000] });
const isAttachmentsEnabled = z.boolean().meta({ examples: [true] });

export const SessionSettingsView = z
  .object({ maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled })
  .meta({ id: 'SessionSettings' }) satisfies z.ZodType<FileUploadConfig>;

export const ChangeSessionSettings = z
  .strictObject({ maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled })
  .partial()
  .transform(definedMembers)
  .meta({ id: 'ChangeSessionSettings', examples: [{ maxFileCount: 5 }] });
export type ChangeSessionSettings = z.output<typeof ChangeSessionSettings>;
