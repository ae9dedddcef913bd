import type { CanActivate, Type } from '@nestjs/common'
import { isPublic, JwtGuard } from './jwt.guard.js'
import { countsAsWrite, WriteLimitGuard } from './write-limit.guard.js'

/** In this order: the second guard needs the caller that the first one has found. */
export const GLOBAL_GUARDS: readonly Type<CanActivate>[] = [JwtGuard, WriteLimitGuard]

/** Those that check a request with this method to this handler. */
export function globalGuardsOf(handler: object, method: string): readonly Type<CanActivate>[] {
  if (isPublic(handler)) return []
  return countsAsWrite(handler, method) ? GLOBAL_GUARDS : [JwtGuard]
}
