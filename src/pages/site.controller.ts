import { Controller, Get, Header } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { LOGIN_MODES, type LoginMode } from '../cors/satellite.js'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import { accentsOf } from '../platform/contrast.js'
import { Answers } from '../platform/http/endpoint.js'
import { Flag, Nested, OneOf, Text, Url } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { Public } from '../tokens/jwt.guard.js'
import { SiteHosts } from './site-hosts.js'

/** A page shows a new name or logo after this. */
const CACHED = 'public, max-age=60'

class AccentAnswer {
  @Text({ example: '#1d4ed8' }) color!: string
  @Text({ example: '#ffffff', description: 'Text on a button in that colour' }) ink!: string
}

class AccentsAnswer {
  @Nested(AccentAnswer) light!: AccentAnswer
  @Nested(AccentAnswer) dark!: AccentAnswer
}

class MainSiteAnswer {
  @Text({ example: 'Example' }) name!: string
  @Text({ nullable: true }) logoUrl!: string | null
  @Url({ example: 'https://www.example.com' }) url!: string
}

class SiteAnswer {
  @Text({ example: 'Corner Shop', description: 'Of a satellite without a name, its host' }) name!: string
  @Text({ nullable: true, description: 'A picture (https)' }) logoUrl!: string | null
  @Nested(AccentsAnswer, { description: 'The colour of its buttons, legible on light and on dark pages' })
  accent!: AccentsAnswer

  @OneOf(LOGIN_MODES, {
    description: 'Whether people log in with a password typed there, through the main site, or either',
  })
  loginMode!: LoginMode

  @Nested(MainSiteAnswer, { description: 'Where people without a password at hand log in' })
  main!: MainSiteAnswer

  @Flag({ description: 'Whether anybody may create an account, at `/signup` of the main site' })
  isSignUpOpen!: boolean
}

@ApiTags('Hand-off')
@Controller('api/site')
export class SiteController {
  constructor(
    private readonly hosts: SiteHosts,
    private readonly satellites: Satellites,
    private readonly settings: Settings,
  ) {}

  /** Public: a login form shows it, and the pages that the service itself serves tell it to anybody. */
  @Public()
  @Get()
  @Header('Cache-Control', CACHED)
  @ApiOperation({
    summary: 'How the site of a login form looks',
    description:
      'By the `Origin` of the request: for a satellite its own name and logo, for any other client those of the main site.',
  })
  @Answers(200, 'The site', SiteAnswer)
  async describe(@CurrentClient() { origin }: Client): Promise<SiteAnswer> {
    const { brand, mainOrigin, isSignUpOpen } = this.settings
    const { name, logoUrl, accent } = await this.hosts.brandOfPage(origin)
    return {
      name,
      logoUrl,
      accent: accentsOf(accent),
      loginMode: (origin !== null && this.satellites.find(origin)?.loginMode) || 'password',
      main: { name: brand.name, logoUrl: brand.logoUrl, url: mainOrigin },
      isSignUpOpen,
    }
  }
}
