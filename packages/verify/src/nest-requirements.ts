import type { ExecutionContext } from '@nestjs/common'
import type { RequiredAuthentication } from './auth-methods.js'
import type { Permission } from './caller.js'
import type { Requirement } from './verifier.js'

// What the decorators store on handlers and controllers. Strings, because the program may have another copy of this
// package.
export const PERMISSIONS = '@mainstay-auth/verify:permissions'
export const AUTHENTICATION = '@mainstay-auth/verify:authentication'
export const PUBLIC = '@mainstay-auth/verify:public'

/** A handler, or the class of a controller. */
// biome-ignore lint/complexity/noBannedTypes: as Nest has it.
export type Holder = Function

/**
 * A handler's own decorators take precedence over its controller's; on either of them, a requirement beats
 * `@Public()`.
 */
export function isPublic(context: ExecutionContext): boolean {
  const [handler, controller] = [context.getHandler(), context.getClass()]
  if (requirementsOn(handler).length > 0) return false
  if (metadata(PUBLIC, handler)) return true
  return requirementsOn(controller).length === 0 && metadata(PUBLIC, controller) === true
}

/** Those of the handler and of its controller. */
export function requirementsFor(context: ExecutionContext): (Permission | Requirement)[] {
  return [...requirementsOn(context.getClass()), ...requirementsOn(context.getHandler())]
}

function requirementsOn(holder: Holder): readonly (Permission | Requirement)[] {
  return [...permissionsOn(holder), ...authenticationsOn(holder)]
}

export function authenticationsOn(holder: Holder): readonly RequiredAuthentication[] {
  return (metadata(AUTHENTICATION, holder) as RequiredAuthentication[] | undefined) ?? []
}

export function permissionsOn(holder: Holder): readonly Permission[] {
  return (metadata(PERMISSIONS, holder) as Permission[] | undefined) ?? []
}

/** Nest's Reflector without the copy of Nest that it belongs to; reflect-metadata comes with every Nest. */
function metadata(key: string, holder: Holder): unknown {
  return (Reflect as typeof Reflect & MetadataReader).getMetadata(key, holder)
}

interface MetadataReader {
  getMetadata(key: string, target: object): unknown
}
