import { newId } from '../../src/kernel/ids.js';
import { AppRepository } from '../../src/modules/tenancy/app.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

export const examples: Examples = examplesOf(AppRepository, (apps) => ({
  environmentRef: apps.environmentRef(newId('app'), 'production'),
}));
