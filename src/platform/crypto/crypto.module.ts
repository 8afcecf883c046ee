import { Global, Module } from '@nestjs/common';
import { MasterKeysAdminController } from './master-keys.admin.controller.js';
import { MasterKeysService } from './master-keys.service.js';
import { RewrapSealed } from './crypto.processor.js';
import { SealedRows } from './sealed-rows.js';
import { Vault } from './vault.js';

/** Keeps secrets that have to be read again, and the keys that wrap them. */
@Global()
@Module({
  controllers: [MasterKeysAdminController],
  providers: [Vault, SealedRows, MasterKeysService, RewrapSealed],
  exports: [Vault],
})
export class CryptoModule {}
