import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Plans } from './plans.js'

@Module({
  providers: [{ provide: Plans, inject: [Settings], useFactory: Plans.read }],
  exports: [Plans],
})
export class PermissionsModule {}
