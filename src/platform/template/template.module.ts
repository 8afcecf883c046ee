import { Global, Module } from '@nestjs/common';
import { Templates } from './templates.js';

/** Fills templates that strangers wrote. */
@Global()
@Module({ providers: [Templates], exports: [Templates] })
export class TemplateModule {}
