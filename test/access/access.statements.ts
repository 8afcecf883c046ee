import { newId } from '../../src/kernel/ids.js';
import { AdminKeyRepository } from '../../src/modules/access/admin-key.repository.js';
import { ApiKeyRepository } from '../../src/modules/access/api-key.repository.js';
import { ConsoleSessionRepository } from '../../src/modules/access/console-sessions/console-session.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const [keyId, adminKeyId, now] = [newId('apiKey'), newId('adminKey'), new Date()];
const consoleSessionId = newId('consoleSession');

export const examples: Examples = {
  ...examplesOf(AdminKeyRepository, (keys) => ({
    byDigest: keys.byDigest('digest'),
    lockForUse: keys.lockForUse(adminKeyId),
    lockForChange: keys.lockForChange(adminKeyId),
    deleteRevoked: keys.deleteRevoked(adminKeyId),
  })),
  ...examplesOf(ConsoleSessionRepository, (sessions) => ({
    byDigest: sessions.byDigest('digest', now),
    lockForUse: sessions.lockForUse(consoleSessionId, now),
    deleteRevoked: sessions.deleteRevoked(consoleSessionId),
  })),
  ...examplesOf(ApiKeyRepository, (keys) => ({
    byValue: keys.byValue('digest', now),
    lockForUse: keys.lockForUse(keyId, 'digest', now),
    lockForChange: keys.lockForChange(keyId),
    stillValid: keys.stillValid([keyId]),
    deleteRevoked: keys.deleteRevoked(keyId),
    noteUse: keys.noteUse(keyId, now),
  })),
};
