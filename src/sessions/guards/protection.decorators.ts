import { applyDecorators, type CanActivate, type Type, UseGuards } from '@nestjs/common'
import type { Permission } from '../../permissions/permissions.js'
import { ReauthenticationGuard } from '../reauthentication.js'
import { EnrolmentGuard } from './enrolment.guard.js'
import { CookieBoundSessionGuard, LiveSessionGuard } from './live-session.guard.js'
import { MainSourceGuard } from './main-source.guard.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { PermissionGuard, RequirePermission } from './permission.guard.js'

export interface MainSiteOptions {
  /** The permission that the session must have at the moment. */
  readonly permission?: Permission
  /** A guard of the feature's own, for a right that is not a permission. */
  readonly guard?: Type<CanActivate>
  /** Whether users are refused who have to set up a second factor; a permission refuses them anyway. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that only a live session of the main site may call. After
 * JwtGuard, which is global, the guards run in the order of the specification's checks. The API reference
 * takes from the guards what they require and refuse. On a method it adds to what its class requires.
 */
export function MainSite({ permission, guard, enrolled, reauthenticated }: MainSiteOptions = {}) {
  return applyDecorators(
    UseGuards(
      MainSourceGuard,
      ...(permission ? [permission === 'payments' ? PaymentsPermissionGuard : PermissionGuard] : []),
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(guard ? [guard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
    ...(permission ? [RequirePermission(permission)] : []),
  )
}

export interface LiveSessionOptions {
  /** Whether a session of the main site must present its cookie too. */
  readonly cookieBound?: boolean
  /** Whether users are refused who have to set up a second factor. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that live sessions of every site may call. Otherwise like
 * {@link MainSite}.
 */
export function LiveSession({ cookieBound, enrolled, reauthenticated }: LiveSessionOptions = {}) {
  return applyDecorators(
    UseGuards(
      cookieBound ? CookieBoundSessionGuard : LiveSessionGuard,
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
  )
}
