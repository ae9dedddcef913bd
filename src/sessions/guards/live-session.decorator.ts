import { applyDecorators, UseGuards } from '@nestjs/common'
import { CookieBoundSessionGuard } from './cookie-bound-session.guard.js'
import { LiveSessionGuard } from './live-session.guard.js'
import { ReauthenticationGuard } from './reauthentication.guard.js'

export interface LiveSessionOptions {
  /** Whether a session of the main site must present its cookie too. */
  readonly cookieBound?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that live sessions of every site may call. Otherwise like
 * {@link MainSite}.
 */
export function LiveSession({ cookieBound, reauthenticated }: LiveSessionOptions = {}) {
  return applyDecorators(
    UseGuards(
      cookieBound ? CookieBoundSessionGuard : LiveSessionGuard,
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
  )
}
