import { Global, Module } from '@nestjs/common';
import { Templates } from './templates.js';

/** Templates of strangers. */
@Global()
@Module({ providers: [Templates], exports: [Templates] })
export class TemplateModule {}
