import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Plans } from './plans-file.js'

@Module({
  providers: [{ provide: Plans, inject: [Settings], useFactory: Plans.read }],
  exports: [Plans],
})
export class PermissionsModule {}
