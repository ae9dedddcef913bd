import { Controller, Get } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { PasskeySites } from '../../factors/passkeys.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Public } from '../../tokens/jwt.guard.js'
import { RelatedOriginsDocs } from './passkey-login.dto.js'

@ApiTags('Auth')
@Controller('.well-known')
export class RelatedOriginsController {
  constructor(private readonly sites: PasskeySites) {}

  /** Where else browsers may use the passkeys. Public: browsers ask without credentials. */
  @Public()
  @Get('webauthn')
  @RelatedOriginsDocs()
  list() {
    const { relatedOrigins: origins } = this.sites
    if (origins.length === 0) throw new ApiError('NOT_FOUND')
    return { origins }
  }
}
