import { Controller, Delete, Get, HttpCode, Param, Req, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearRememberedDeviceCookie, presentedRememberedDevice } from '../../factors/remembered-devices.js'
import { IdInPath } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ExemptFromWriteLimit } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { OwnRememberedDevices } from './own-remembered-devices.js'
import { ForgetDeviceDocs, ForgetDevicesDocs, ListDevicesDocs } from './remembered-devices.dto.js'

@ApiTags('Second factors')
@Controller('api/remembered-devices')
@MainSite()
export class RememberedDevicesController {
  constructor(private readonly devices: OwnRememberedDevices) {}

  /** The caller's browsers that are not asked for a second factor. */
  @Get()
  @ListDevicesDocs()
  async list(@CurrentActor() { userId }: SessionActor, @Req() request: FastifyRequest) {
    return { devices: await this.devices.list(userId, presentedRememberedDevice(request)) }
  }

  @Delete(':id')
  @ExemptFromWriteLimit()
  @HttpCode(204)
  @ForgetDeviceDocs()
  async forget(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    await this.devices.forget(actor, id)
  }

  @Delete()
  @ExemptFromWriteLimit()
  @HttpCode(204)
  @ForgetDevicesDocs()
  async forgetAll(@CurrentActor() actor: SessionActor, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.devices.forget(actor)
    clearRememberedDeviceCookie(reply)
  }
}
