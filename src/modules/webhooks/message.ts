import type { Id } from '../../kernel/ids.js';

export const MESSAGE_STATUSES = ['accepted', 'processing', 'suspended', 'completed', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** What was accepted, and how far it is. From here on a callback or a visible failure follows. */
export interface Message {
  id: Id<'message'>;
  projectId: Id<'project'>;
  subscriptionId: Id<'subscription'>;
  runId: Id<'run'>;
  sessionId: Id<'session'>;
  sessionKey: string;
  /** As they were written. */
  metadata: string | null;
  status: MessageStatus;
  error: { code: string; message: string } | null;
  createdAt: Date;
  finishedAt: Date | null;
}
