import { applyDecorators, type CanActivate, type Type, UseGuards } from '@nestjs/common'
import type { Permission } from '../../platform/permissions.js'
import { CookieBoundSessionGuard } from './cookie-bound-session.guard.js'
import { EnrolmentGuard } from './enrolment.guard.js'
import { LiveSessionGuard } from './live-session.guard.js'
import { MainSourceGuard } from './main-source.guard.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { PermissionGuard, RequirePermission } from './permission.guard.js'
import { ReauthenticationGuard } from './reauthentication.guard.js'
import { WriteLimitGuard } from './write-limit.guard.js'

export interface MainSiteOptions {
  /** The permission that the session must currently have. */
  readonly permission?: Permission
  /** The feature's own guard, for a right that is not a permission. */
  readonly guard?: Type<CanActivate>
  /** Whether to refuse users who must set up a second factor; a permission refuses them anyway. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that only a live main-site session may call. After
 * JwtGuard, which is global, the guards run in the order of the checks in the specification. The API
 * reference reads from the guards what they require and refuse. On a method it adds to what its class
 * requires.
 */
export function MainSite({ permission, guard, enrolled, reauthenticated }: MainSiteOptions = {}) {
  return applyDecorators(
    UseGuards(
      MainSourceGuard,
      WriteLimitGuard,
      ...(permission ? [permission === 'payments' ? PaymentsPermissionGuard : PermissionGuard] : []),
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(guard ? [guard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
    ...(permission ? [RequirePermission(permission)] : []),
  )
}

export interface LiveSessionOptions {
  /** Whether a main-site session must present its cookie too. */
  readonly cookieBound?: boolean
  /** Whether to refuse users who must set up a second factor. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that live sessions of any site may call. Otherwise like
 * {@link MainSite}.
 */
export function LiveSession({ cookieBound, enrolled, reauthenticated }: LiveSessionOptions = {}) {
  return applyDecorators(
    UseGuards(
      cookieBound ? CookieBoundSessionGuard : LiveSessionGuard,
      WriteLimitGuard,
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
  )
}
