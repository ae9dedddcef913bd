import { Injectable } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DeviceId, presentedDeviceId, setDeviceCookie } from '../../anomalies/known-devices.js'
import { presentedRememberedDevice } from '../../factors/remembered-devices.js'
import { Settings } from '../../platform/config/settings.js'
import type { Client } from '../../platform/http/request.js'
import type { Source } from '../../platform/permissions.js'
import { presentedSessionIds, requireMainOrigin, setSessionCookie } from '../../sessions/session-cookie.js'
import type { LoginContext } from './login-context.js'
import type { LoggedIn } from './login-sessions.js'

/** What every login says in its body about where it comes from. */
export interface RequestedLogin {
  readonly source: Source
  readonly deviceId?: DeviceId | null
}

/** Reads the context of a login request and answers it: on the main site with cookies, elsewhere in the body. */
@Injectable()
export class LoginTransport {
  constructor(private readonly settings: Settings) {}

  /** Throws `MAIN_ORIGIN_REQUIRED` or `CROSS_SITE_REFUSED` when another page requests a session of the main site. */
  contextOf({ source, deviceId }: RequestedLogin, client: Client, request: FastifyRequest): LoginContext {
    if (source === 'satellite') return { source, client, sessionIds: [], deviceId }
    requireMainOrigin(request, this.settings)
    return {
      source,
      client,
      sessionIds: presentedSessionIds(request),
      deviceId: presentedDeviceId(request),
      rememberedDevice: presentedRememberedDevice(request),
    }
  }

  /** The body of the answer; on the main site its cookies are set too. */
  answer(loggedIn: LoggedIn, { source, deviceId }: RequestedLogin, reply: FastifyReply) {
    if (source === 'satellite') return answerWithoutCookie(loggedIn, deviceId)
    setSessionCookie(reply, loggedIn.sessionId, this.settings)
    setDeviceCookie(reply, loggedIn.deviceId as DeviceId)
    return { accessToken: loggedIn.accessToken }
  }
}

/**
 * The answer for clients without a cookie. The device id is in it only when it differs from the one that was
 * sent, and only for clients that know of device ids.
 */
export function answerWithoutCookie(
  { accessToken, sessionId, deviceId }: LoggedIn,
  sentDeviceId: DeviceId | null | undefined,
) {
  const isNew = deviceId !== null && deviceId !== sentDeviceId
  return { accessToken, sessionId, ...(isNew && { deviceId }) }
}
