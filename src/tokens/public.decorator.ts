import { SetMetadata } from '@nestjs/common'

export const IS_PUBLIC = 'mainstay:public'

/** The only way past {@link JwtGuard}; a test lists every handler that uses it. */
export const Public = () => SetMetadata(IS_PUBLIC, true)
