import { Module } from '@nestjs/common';
import { FrontController } from './front.controller.js';

@Module({ controllers: [FrontController] })
export class FrontModule {}
