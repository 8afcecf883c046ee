import { Global, Module } from '@nestjs/common';
import { Forms } from './forms.js';

/** Transfers contents in and out over HTTP. */
@Global()
@Module({ providers: [Forms], exports: [Forms] })
export class TransferModule {}
