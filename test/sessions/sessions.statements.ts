import { raw } from '../../src/platform/database/sql.js';
import { newId } from '../../src/kernel/ids.js';
import { AttachmentRepository } from '../../src/modules/sessions/attachments/attachment.repository.js';
import { SessionSettingsRepository } from '../../src/modules/sessions/attachments/session-settings.repository.js';
import { NOTHING_ERASED } from '../../src/modules/sessions/erasure/erasure.entity.js';
import { ErasureRepository } from '../../src/modules/sessions/erasure/erasure.repository.js';
import { SessionCountRepository } from '../../src/modules/sessions/list/session-count.repository.js';
import type { Matching } from '../../src/modules/sessions/list/session-matching.statements.js';
import { MemoryEntry } from '../../src/modules/sessions/memory/memory-entry.entity.js';
import { MemoryEntryRepository } from '../../src/modules/sessions/memory/memory-entry.repository.js';
import { Attachment } from '../../src/modules/sessions/session.entity.js';
import { SessionRepository } from '../../src/modules/sessions/session.repository.js';
import { UserRepository } from '../../src/modules/sessions/user.repository.js';
import { asked, exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, appId, id, userId] = [newId('project'), newId('app'), newId('session'), newId('user')];
const [runId, fileId, now] = [newId('agentRun'), newId('file'), new Date()];
const env = { projectId, appId, envId: newId('environment'), environment: 'production' } as const;
const call = { inputTokens: 1, outputTokens: 2, cost: 3 };
const input = { reference: 'reference', userReference: 'user', source: 'webhook', appVersionId: null };

const all: Matching = {
  projectId,
  appId,
  from: new Date('2026-01-01T00:00:00Z'),
  to: new Date('2026-02-01T00:00:00Z'),
  environment: undefined,
  source: undefined,
  userReference: undefined,
  reference: undefined,
};
const ofSource = { ...all, environment: 'production', source: 'webhook' };
const counts = { newerFrom: all.to, newer: 0, summed: 500, olderTo: all.from, older: 0 };
const slot = { from: all.from, count: 500, before: 0 };
const page = { offset: 200, limit: 20 };
const sessions = Object.create(SessionRepository.prototype) as SessionRepository;
const [countAll, firstPage] = await asked((ask) => sessions.list(ask, all, { ...page, offset: 0 }), [counts]);
const [countSome, slots, laterPage] = await asked((ask) => sessions.list(ask, ofSource, page), [counts], [slot]);
const [countOfUser, pageOfUser] = await asked(
  (ask) => sessions.list(ask, { ...all, userReference: 'user' }, page),
  [counts],
);

export const examples: Examples = {
  ...examplesOf(AttachmentRepository, (attachments) => ({
    ofSession: attachments.ofSession(id),
    add: attachments.add(id, exampleRow(Attachment)),
    deleteOfSession: attachments.deleteOfSession(id),
  })),
  ...examplesOf(SessionSettingsRepository, (settings) => ({ ofApp: settings.ofApp(appId) })),
  ...examplesOf(ErasureRepository, (erasures) => ({
    ofUser: erasures.ofUser(appId, userId),
    begin: erasures.begin({ userId, projectId, appId }),
    lock: erasures.lock(userId),
    report: erasures.report(userId, NOTHING_ERASED, [fileId]),
    finish: erasures.finish(userId, 'done'),
  })),
  ...examplesOf(SessionCountRepository, (sums) => ({
    thisMoment: sums.thisMoment(),
    isPast: sums.isPast({ at: now, transaction: '1' }),
    tryLock: sums.tryLock(),
    countSome: sums.countSome(now),
    addUp: sums.addUp(100),
  })),
  ...examplesOf(MemoryEntryRepository, (memory) => ({
    upTo: memory.upTo(id, 1),
    ofSession: memory.ofSession(id),
    ofTurn: memory.ofTurn(id, 1),
    add: memory.add(exampleRow(MemoryEntry)),
    addInLocked: memory.addInLocked(exampleRow(MemoryEntry)),
    deleteUpTo: memory.deleteUpTo(id, 1),
    deleteOfSession: memory.deleteOfSession(id),
  })),
  ...examplesOf(SessionRepository, (of) => ({
    withAttachments: of.withAttachments(id),
    byId: of.byId(id),
    inApp: of.inApp(projectId, appId, id),
    inEnvironment: of.inEnvironment(env, id),
    live: of.live(env, 'reference'),
    newest: of.newest(env, 'reference'),
    lock: of.lock(id),
    lockShared: of.lockShared(id),
    add: of.add(env, { ...input, runId: null }),
    touch: of.touch(id),
    begin: of.begin(id, runId),
    beginLive: of.beginLive(env, 'reference', runId),
    endTurn: of.endTurn(id, raw("'started'"), { ...call, llmCalls: 1, latencyMs: 1 }),
    addCall: of.addCall(id, call),
    end: of.end(id, 'expired'),
    close: of.close(id, 'farewell', 'summary'),
    idleSince: of.idleSince(now, 100),
    ofUser: of.ofUser(userId, 100),
    delete: of.delete(id),
    'list (1: counts all)': countAll!,
    'list (2: the first page of all)': firstPage!,
    'list (1: counts those of a source)': countSome!,
    'list (2: the slots of a later page of a source)': slots!,
    'list (3: the page)': laterPage!,
    'list (1: counts those of a user)': countOfUser!,
    'list (2: a page of a user)': pageOfUser!,
  })),
  ...examplesOf(UserRepository, (users) => ({
    isIn: users.isIn(appId, userId),
    delete: users.delete(userId),
  })),
};
