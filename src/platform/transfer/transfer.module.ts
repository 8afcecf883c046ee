import { Global, Module } from '@nestjs/common';
import { Forms } from './forms.js';

/** Contents on their way in and out over HTTP. */
@Global()
@Module({ providers: [Forms], exports: [Forms] })
export class TransferModule {}
