import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { PlansFile } from './plans-file.js'

@Module({
  providers: [{ provide: PlansFile, inject: [Settings], useFactory: PlansFile.read }],
  exports: [PlansFile],
})
export class PermissionsModule {}
