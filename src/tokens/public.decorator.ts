import { SetMetadata } from '@nestjs/common'

const IS_PUBLIC = 'mainstay:public'

/** The only way past {@link JwtGuard}; a test lists every handler that uses it. */
export const Public = () => SetMetadata(IS_PUBLIC, true)

/** Whether a handler is {@link Public}. */
export function isPublic(handler: object): boolean {
  return Reflect.getMetadata(IS_PUBLIC, handler) === true
}
