import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import { type Client, CurrentClient, requestOf } from '../../http/client.js'
import { DocumentedGuard } from '../../http/documented.js'
import { requireMainOrigin } from '../../sessions/session-cookie.js'
import { Public } from '../../tokens/jwt.guard.js'
import { SignUpBody, SignUpDocs, VerifySignUpBody, VerifySignUpDocs } from './sign-up.dto.js'
import { SignUpService, SignUpVerification } from './sign-up.service.js'

/**
 * Lets strangers sign up only where SIGN_UP is on, and only from the main site. Throws `SIGN_UP_CLOSED`,
 * `MAIN_ORIGIN_REQUIRED` or `CROSS_SITE_REFUSED` (403).
 */
@Injectable()
@DocumentedGuard({ refusals: ['SIGN_UP_CLOSED', 'MAIN_ORIGIN_REQUIRED', 'CROSS_SITE_REFUSED'] })
export class SignUpGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.settings.isSignUpOpen) throw new ApiError('SIGN_UP_CLOSED')
    requireMainOrigin(requestOf(context), this.settings)
    return true
  }
}

@ApiTags('Sign-up')
@Controller('api/signup')
@UseGuards(SignUpGuard)
export class SignUpController {
  constructor(
    private readonly signUpService: SignUpService,
    private readonly verification: SignUpVerification,
  ) {}

  /** Requests an account. Public, because the caller has none yet. */
  @Public()
  @Post()
  @HttpCode(202)
  @SignUpDocs()
  signUp(@Body() applicant: SignUpBody, @CurrentClient() client: Client) {
    return this.signUpService.signUp(applicant, client)
  }

  /** Creates the account. Public: the link and the password are the proof. */
  @Public()
  @Post('verify')
  @HttpCode(201)
  @VerifySignUpDocs()
  async verify(@Body() { token, password }: VerifySignUpBody, @CurrentClient() client: Client) {
    const { id } = await this.verification.verify(token, password, client)
    return { userId: id }
  }
}
