import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Places } from './geoip.js'

@Module({
  providers: [
    { provide: Places, inject: [Settings], useFactory: ({ geoIpFile }: Settings) => Places.load(geoIpFile) },
  ],
  exports: [Places],
})
export class PlacesModule {}
