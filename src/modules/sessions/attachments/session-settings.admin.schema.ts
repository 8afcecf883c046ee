import { z } from 'zod';
import { definedMembers } from '../../../kernel/defined-members.js';
import type { FileUploadConfig } from './session-settings.entity.js';

const maxFileCount = z
  .int()
  .min(0)
  .max(1_000)
  .describe('Files that a session may have.')
  .meta({ examples: [10] });
const maxFileSize = z
  .int()
  .min(1)
  .max(10_240)
  .describe('MB that a file may have.')
  .meta({ examples: [25] });
const maxTokens = z
  .int()
  .min(0)
  .max(10_000_000)
  .describe('Tokens that the files of a session may take together.')
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
