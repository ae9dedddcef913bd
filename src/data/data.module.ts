import { Module } from '@nestjs/common'
import { DataController } from './data.controller.js'

@Module({ controllers: [DataController] })
export class DataModule {}
