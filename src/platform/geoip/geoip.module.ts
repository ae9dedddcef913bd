import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { GeoIp } from './geoip.js'

@Module({
  providers: [
    { provide: GeoIp, inject: [Settings], useFactory: ({ geoIpFile }: Settings) => GeoIp.load(geoIpFile) },
  ],
  exports: [GeoIp],
})
export class GeoIpModule {}
