import { newId } from '../../src/kernel/ids.js';
import { AdminKeyRepository } from '../../src/modules/access/admin-key.repository.js';
import { ApiKeyRepository } from '../../src/modules/access/api-key.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const [keyId, adminKeyId, now] = [newId('apiKey'), newId('adminKey'), new Date()];

export const examples: Examples = {
  ...examplesOf(AdminKeyRepository, (keys) => ({
    byDigest: keys.byDigest('digest'),
    hold: keys.hold(adminKeyId),
    deleteRevoked: keys.deleteRevoked(adminKeyId),
  })),
  ...examplesOf(ApiKeyRepository, (keys) => ({
    byValue: keys.byValue('digest', now),
    hold: keys.hold(keyId, 'digest', now),
    lock: keys.lock(keyId),
    stillGood: keys.stillGood([keyId]),
    deleteRevoked: keys.deleteRevoked(keyId),
    noteUse: keys.noteUse(keyId, now),
  })),
};
