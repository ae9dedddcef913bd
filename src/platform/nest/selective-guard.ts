import type { CanActivate } from '@nestjs/common'

/** A guard that some routes do without. */
export interface SelectiveGuard extends CanActivate {
  /**
   * Whether it guards this handler, which answers requests with this method (like `POST`). Asked once, when the
   * route is built, and by the API reference on the class alone: without dependencies.
   */
  appliesTo(handler: object, method: string): boolean
}

/** Whether the route of this handler has the guard. One that is not a {@link SelectiveGuard} guards every route. */
export function isApplied(guard: CanActivate, handler: object, method: string): boolean {
  return (guard as Partial<SelectiveGuard>).appliesTo?.(handler, method) !== false
}
