import { applyDecorators, type CanActivate, HttpCode, SetMetadata, type Type } from '@nestjs/common'
import { ApiResponse } from '@nestjs/swagger'
import type { ErrorCode } from '../errors/api-error.js'

/** What the API reference says about every endpoint behind a guard. */
export interface GuardDocumentation {
  /** Every error code that the guard can return. */
  readonly refusals: readonly ErrorCode[]
  /** The credential that it requires, together with those of the other guards. */
  readonly security?: 'accessToken' | 'sessionCookie'
  /** Whether only sessions of the main site need that credential. */
  readonly isOfMainSiteOnly?: boolean
}

const REFUSALS = 'mainstay:refusals'
const GUARD = 'mainstay:guard-documentation'

/** The status and the body of a successful answer, for Nest and for the API reference; no type means no body. */
export const Answers = (status: number, description: string, type?: Type): MethodDecorator =>
  applyDecorators(HttpCode(status), ApiResponse({ status, description, ...(type && { type }) }))

/**
 * The error codes that a handler itself returns. The API reference adds those of its guards, and those that follow from
 * what it takes: see `dev/api-docs/document.ts`.
 */
export const Refuses = (...codes: readonly ErrorCode[]): MethodDecorator => SetMetadata(REFUSALS, codes)

/** Documents a guard; the API reference adds this to each endpoint that it guards. */
export const DocumentedGuard = (documentation: GuardDocumentation): ClassDecorator =>
  SetMetadata(GUARD, documentation)

/** The error codes that a handler {@link Refuses} itself. */
export function ownRefusalsOf(handler: object): readonly ErrorCode[] {
  return Reflect.getMetadata(REFUSALS, handler) ?? []
}

/** What a guard documents; throws for one that is not a {@link DocumentedGuard}. */
export function documentationOf(guard: Type): GuardDocumentation {
  const documentation = Reflect.getMetadata(GUARD, guard)
  if (!documentation) throw new Error(`${guard.name} does not document what it refuses`)
  return documentation
}

/** A guard that lets every request to some handlers pass. */
export interface SelectiveGuard extends CanActivate {
  /**
   * Whether it guards this handler, which answers requests with this method (like `POST`). Also asked by the API
   * reference, on the class alone: without dependencies.
   */
  appliesTo(handler: object, method: string): boolean
}

/** Whether the guard guards this handler. One that is not a {@link SelectiveGuard} guards every route. */
export function isApplied(guard: CanActivate, handler: object, method: string): boolean {
  return (guard as Partial<SelectiveGuard>).appliesTo?.(handler, method) !== false
}
